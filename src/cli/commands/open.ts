/** `svc open`: opens the dashboard, or its page of a resource. */
import { InvalidArgumentError } from 'commander';
import { SvcError } from '../../domain/errors.ts';
import { isHttpUrl } from '../../domain/http-url.ts';
import { idPrefixes } from '../../domain/ids.ts';
import { deliveryChoices, eventChoices, webhookChoices } from '../choices/resource-choices.ts';
import { ChosenArgument, type CommandDefinition } from '../command.ts';
import { openUrl } from '../open-url.ts';

/** The resources that have a page of their own: the prefix of their IDs, and the path of the page. */
const pages = [
  [idPrefixes.delivery, 'deliveries'],
  [idPrefixes.event, 'events'],
  [idPrefixes.webhook, 'webhooks'],
] as const;

/** The fragment of the page: `/deliveries/del_…`. */
export function parsePage(id: string): string {
  const page = pages.find(([prefix]) => id.startsWith(prefix));
  if (page !== undefined) return `/${page[1]}/${encodeURIComponent(id)}`;
  throw new InvalidArgumentError('Pass the ID of a delivery, an event or an endpoint: del_…, evt_… or wh_…');
}

export const command: CommandDefinition<{ readonly id?: string; readonly print?: true }> = {
  configure: (command) =>
    command
      .addArgument(
        new ChosenArgument('[id]', 'Delivery, event or endpoint to show: del_…, evt_… or wh_…', [
          deliveryChoices,
          eventChoices,
          webhookChoices,
        ]).argParser(parsePage),
      )
      .option('--print', 'Print the address instead of opening a browser'),
  examples: [
    ['Open the dashboard', 'open'],
    ['Open a delivery', 'open del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
    ['Print the address', 'open --print'],
  ],
  async run({ id: page, print }, context) {
    const { io, json } = context;
    const { dashboard_url: dashboardUrl } = await (await context.connect()).getStatus({});
    // The emulator can be on another machine.
    if (!isHttpUrl(dashboardUrl))
      throw new SvcError('validation_failed', `The emulator reports an invalid address: ${dashboardUrl}`);
    const url = new URL(dashboardUrl);
    if (page !== undefined) url.hash = page;
    if (print || json) return context.print({ url: url.href }, () => url.href);
    if (await openUrl(url.href, context)) return io.note(`Opened ${url.href}`);
    io.write(url.href);
    io.note('No browser was found. Open this address in a browser.');
  },
};
