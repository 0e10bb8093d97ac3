/** URLs of the pages of the dashboard. */
import { type IdKind, idPrefixes } from '../domain/ids.ts';

/** The resources with a page of their own, and its path. */
const sections = { delivery: 'deliveries', event: 'events', webhook: 'webhooks' } as const satisfies Partial<
  Record<IdKind, string>
>;

export interface DashboardPage {
  readonly kind: keyof typeof sections;
  readonly id: string;
}

/** The page of the resource with this id; null for a resource without a page. */
export function findDashboardPage(id: string): DashboardPage | null {
  const kinds = Object.keys(sections) as (keyof typeof sections)[];
  const kind = kinds.find((each) => id.startsWith(idPrefixes[each]));
  return kind === undefined ? null : { kind, id };
}

/** `http://127.0.0.1:4777/#/deliveries/del_…`; without a page, the start page. */
export function toDashboardUrl(dashboardUrl: string, place?: DashboardPage): string {
  const url = new URL(dashboardUrl);
  if (place !== undefined) url.hash = `/${sections[place.kind]}/${encodeURIComponent(place.id)}`;
  return url.href;
}
