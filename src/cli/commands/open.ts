import { InvalidArgumentError } from 'commander';
import type { ControlPlane } from '../../control/control-plane.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { type DashboardPage, findDashboardPage, toDashboardUrl } from '../dashboard-url.ts';
import { openUrl } from '../open-url.ts';
import { readDashboardUrl } from '../status-values.ts';

interface Options {
  readonly id?: DashboardPage;
  readonly print?: true;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command
      .argument('[id]', 'what to show there: del_…, evt_… or wh_…', toPlace)
      .option('--print', 'print its address instead, as --json does')
      .addHelpText('after', '\nThe browser stays open when svc ends.'),
  examples: ['open', 'open del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D', 'open --print'],
  run,
};

function toPlace(text: string): DashboardPage {
  const place = findDashboardPage(text);
  if (place === null) throw new InvalidArgumentError('The dashboard shows del_…, evt_… and wh_….');
  return place;
}

async function run({ id: place, print }: Options, context: Context): Promise<void> {
  const { io, json } = context;
  const control = await context.connect();
  if (place !== undefined) await assertExists(place, control);
  const url = toDashboardUrl(readDashboardUrl(await control.getStatus({})), place);
  if (print || json) return context.print({ url }, () => url);
  if (await openUrl(url, context)) return io.note(`Opened ${url}`);
  io.write(url);
  io.note('No browser can be opened here: open this address in one.');
}

/** @throws SvcError `not_found`, which an empty page would say less well. */
async function assertExists({ kind, id }: DashboardPage, control: ControlPlane): Promise<void> {
  if (kind === 'delivery') await control.getDelivery({ id });
  else if (kind === 'webhook') await control.getWebhook({ id });
  // The control plane has no events of its own, but knows which there are.
  else await control.listDeliveries({ event_id: id, limit: 1 });
}
