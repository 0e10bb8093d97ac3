/** `svc open`: opens the dashboard, or its page of a resource. */
import { InvalidArgumentError } from 'commander';
import type { ControlPlane } from '../../contract/control-plane.ts';
import { type IdKind, idPrefixes } from '../../domain/ids.ts';
import type { CommandDefinition } from '../command.ts';
import { openUrl } from '../open-url.ts';
import { readStatusValue } from '../status-values.ts';

/** The path of each kind of resource that has a page of its own. */
const pagePaths = { delivery: 'deliveries', event: 'events', webhook: 'webhooks' } as const satisfies Partial<
  Record<IdKind, string>
>;

interface DashboardPage {
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
function toDashboardUrl(dashboardUrl: string, page?: DashboardPage): string {
  const url = new URL(dashboardUrl);
  if (page !== undefined) url.hash = `/${pagePaths[page.kind]}/${encodeURIComponent(page.id)}`;
  return url.href;
}

export const command: CommandDefinition<{ readonly id?: DashboardPage; readonly print?: true }> = {
  configure: (command) =>
    command
      .argument('[id]', 'Delivery, event or endpoint to show: del_…, evt_… or wh_…', parseDashboardPage)
      .option('--print', 'Print the address instead of opening a browser'),
  examples: [
    ['Open the dashboard', 'open'],
    ['Open a delivery', 'open del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
    ['Print the address', 'open --print'],
  ],
  async run({ id: page, print }, context) {
    const { io, json } = context;
    const control = await context.connect();
    if (page !== undefined) await assertExists(page, control);
    const { dashboard_url } = await control.getStatus({});
    const url = toDashboardUrl(readStatusValue('dashboard_url', dashboard_url), page);
    if (print || json) return context.print({ url }, () => url);
    if (await openUrl(url, context)) return io.note(`Opened ${url}`);
    io.write(url);
    io.note('No browser was found. Open this address in a browser.');
  },
};

function parseDashboardPage(text: string): DashboardPage {
  const page = findDashboardPage(text);
  if (page === null)
    throw new InvalidArgumentError(
      'Pass the ID of a delivery, an event or an endpoint: del_…, evt_… or wh_…',
    );
  return page;
}

/** @throws SvcError `not_found`, instead of opening an empty page. */
async function assertExists({ kind, id }: DashboardPage, control: ControlPlane): Promise<void> {
  if (kind === 'delivery') await control.getDelivery({ id });
  else if (kind === 'webhook') await control.getWebhook({ id });
  // The control plane cannot get an event, but its list rejects an unknown event ID.
  else await control.listDeliveries({ event_id: id, limit: 1 });
}
