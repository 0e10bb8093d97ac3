/** `svc deliveries`: lists, shows and follows deliveries. `replay` and `wait` have files of their own. */

import { deliveryChoices } from '../choices/resource-choices.ts';
import type { CommandDefinition } from '../command.ts';
import {
  addDeliveryFilterOptions,
  type DeliveryFilterOptions,
  toDeliveryFilter,
} from '../delivery-filter.ts';
import { followAttempts, typesToFollow } from '../live/follow.ts';
import { addPageOptions, type PageOptions, parseSince, toPageParameters } from '../option-parsers.ts';
import { askChoice } from '../prompt.ts';
import { deliveryColumns } from '../render/deliveries.ts';
import { renderDelivery } from '../render/delivery-detail.ts';
import { printPage } from '../render/page.ts';
import { fetchScheduleTimes } from '../schedule-time.ts';

interface ListOptions extends DeliveryFilterOptions, PageOptions {
  readonly until?: string;
}

export const list: CommandDefinition<ListOptions> = {
  configure: (command) =>
    addPageOptions(
      addDeliveryFilterOptions(command).option(
        '--until <when>',
        'Only deliveries created before this time, such as 1h (one hour ago) or 2026-11-20T12:00:00Z',
        parseSince,
      ),
    ),
  examples: [
    ['List the newest deliveries', 'deliveries list'],
    ['List everything that failed in the last hour', 'deliveries list --status failed --since 1h'],
    ['Print the deliveries of one event type as JSON', 'deliveries list --type order.shipped --json'],
    [
      'Find the deliveries of an order that were created between one and two hours ago',
      'deliveries list --text ord_7KQ2M9 --since 2h --until 1h',
    ],
  ],
  async run(options, context) {
    const control = await context.connect();
    const page = await control.listDeliveries({
      ...toPageParameters(options),
      ...toDeliveryFilter(options),
      until: options.until,
    });
    const scheduleTimeOf = await fetchScheduleTimes(page.data, control, context);
    printPage(context, page, 'deliveries', deliveryColumns(context, scheduleTimeOf));
  },
};

interface GetOptions {
  readonly id?: string;
  readonly pager?: boolean;
}

const PAGER_HELP = `
In a terminal, text that is longer than the screen opens in a pager: SVC_PAGER or PAGER (default: less).`;

export const get: CommandDefinition<GetOptions> = {
  configure: (command) =>
    command
      .argument('[id]', 'Delivery ID (del_…)')
      .option('--no-pager', 'Print without a pager')
      .addHelpText('after', PAGER_HELP),
  examples: [
    [
      'Show what was sent, the response to each attempt and when the next one is due',
      'deliveries get del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    ],
  ],
  async run({ id, pager = true }, context) {
    const control = await context.connect();
    const delivery = await control.getDelivery({
      id: id ?? (await askChoice(context, 'id', deliveryChoices)),
    });
    const scheduleTimeOf = await fetchScheduleTimes([delivery], control, context);
    await context.printLong(
      delivery,
      () => renderDelivery(delivery, scheduleTimeOf(delivery), context),
      pager,
    );
  },
};

export const tail: CommandDefinition<DeliveryFilterOptions> = {
  configure: addDeliveryFilterOptions,
  examples: [
    ['Follow attempts until you press Ctrl-C', 'deliveries tail'],
    [
      'Print the attempts of the last hour and every new one, one JSON object per line',
      'deliveries tail --since 1h --type order.shipped --json',
    ],
  ],
  async run(options, context) {
    const control = await context.connect();
    const filter = { ...toDeliveryFilter(options), types: typesToFollow(context) };
    const stream = control.stream(filter, context.signal);
    const heading = 'Following delivery attempts. Press Ctrl-C to stop.';
    return followAttempts(stream, context, { control, heading });
  },
};
