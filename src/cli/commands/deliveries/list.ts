import type { Command } from 'commander';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import {
  addDeliveryFilterOptions,
  type DeliveryFilterOptions,
  toDeliveryFilter,
} from '../../delivery-filter.ts';
import { addPageOptions, type PageOptions, parseSince, toPageParameters } from '../../option-parsers.ts';
import { deliveryColumns } from '../../render/deliveries.ts';
import { printPage } from '../../render/page.ts';
import { fetchScheduleTimes } from '../../schedule-time.ts';

interface Options extends DeliveryFilterOptions, PageOptions {
  readonly until?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command: Command) =>
    addPageOptions(
      addDeliveryFilterOptions(command).option(
        '--until <when>',
        'only before then: 1h, or a time',
        parseSince,
      ),
    ),
  examples: [
    'deliveries list',
    'deliveries list --status failed --since 1h',
    'deliveries list --type order.shipped --json',
    'deliveries list --text ord_7KQ2M9 --since 2h --until 1h',
  ],
  run,
};

async function run(options: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const { until } = options;
  const page = await control.listDeliveries({
    ...toPageParameters(options),
    ...toDeliveryFilter(options),
    ...(until === undefined ? {} : { until }),
  });
  const now = await fetchScheduleTimes(page.data, control, context);
  printPage(context, page, 'deliveries', deliveryColumns(context, now));
}
