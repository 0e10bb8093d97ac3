/** `svc open`: opens the dashboard, or its page of a resource. */
import { InvalidArgumentError } from 'commander';
import type { ControlPlane } from '../../contract/control-plane.ts';
import type { CommandDefinition } from '../command.ts';
import { type DashboardPage, findDashboardPage, toDashboardUrl } from '../dashboard-url.ts';
import { openUrl } from '../open-url.ts';
import { readDashboardUrl } from '../status-values.ts';

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
    const url = toDashboardUrl(readDashboardUrl(await control.getStatus({})), page);
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
