/** URLs of the pages of the dashboard. */
import { type IdKind, idPrefixes } from '../domain/ids.ts';

/** The path of each kind of resource that has a page of its own. */
const pagePaths = { delivery: 'deliveries', event: 'events', webhook: 'webhooks' } as const satisfies Partial<
  Record<IdKind, string>
>;

export interface DashboardPage {
  readonly kind: keyof typeof pagePaths;
  readonly id: string;
}

/** The page of the resource with this ID; null for a resource without a page. */
export function findDashboardPage(id: string): DashboardPage | null {
  const kinds = Object.keys(pagePaths) as (keyof typeof pagePaths)[];
  const kind = kinds.find((pageKind) => id.startsWith(idPrefixes[pageKind]));
  return kind === undefined ? null : { kind, id };
}

/** `http://127.0.0.1:4777/#/deliveries/del_…`; without a page, the start page. */
export function toDashboardUrl(dashboardUrl: string, page?: DashboardPage): string {
  const url = new URL(dashboardUrl);
  if (page !== undefined) url.hash = `/${pagePaths[page.kind]}/${encodeURIComponent(page.id)}`;
  return url.href;
}
