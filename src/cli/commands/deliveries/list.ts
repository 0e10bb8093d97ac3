import type { Command } from 'commander';
import { addPageOptions, type PageOptions, toPageInput } from '../../arguments.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { addDeliveryFilter, type DeliveryFilterOptions, toDeliveryFilter } from '../../delivery-filter.ts';
import { deliveryColumns } from '../../render/deliveries.ts';
import { printPage } from '../../render/page.ts';
import { findScheduleNow } from '../../schedule-now.ts';

type Options = DeliveryFilterOptions & PageOptions;

export const command: CommandDefinition<Options> = {
  configure: (command: Command) => addPageOptions(addDeliveryFilter(command)),
  examples: [
    'deliveries list',
    'deliveries list --status failed --since 1h',
    'deliveries list --type order.shipped --json',
  ],
  run,
};

async function run(options: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const page = await control.listDeliveries({ ...toPageInput(options), ...toDeliveryFilter(options) });
  const now = await findScheduleNow(page.data, control, context);
  printPage(context, page, 'deliveries', deliveryColumns(context, now));
}
