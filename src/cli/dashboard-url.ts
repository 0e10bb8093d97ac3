/** Addresses of what the dashboard shows. */
import { type IdKind, idPrefixes } from '../domain/ids.ts';

/** Each kind of thing that it shows alone, and where. */
const sections = { delivery: 'deliveries', event: 'events', webhook: 'webhooks' } as const satisfies Partial<
  Record<IdKind, string>
>;

export interface DashboardPage {
  readonly kind: keyof typeof sections;
  readonly id: string;
}

/** The place of the thing with that id; null when the dashboard has none for its kind. */
export function findDashboardPage(id: string): DashboardPage | null {
  const kinds = Object.keys(sections) as (keyof typeof sections)[];
  const kind = kinds.find((each) => id.startsWith(idPrefixes[each]));
  return kind === undefined ? null : { kind, id };
}

/** `http://127.0.0.1:4777/#/deliveries/del_…`; without a place the dashboard as it begins. */
export function toDashboardUrl(dashboardUrl: string, place?: DashboardPage): string {
  const url = new URL(dashboardUrl);
  if (place !== undefined) url.hash = `/${sections[place.kind]}/${encodeURIComponent(place.id)}`;
  return url.href;
}
