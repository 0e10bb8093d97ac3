import { ExitCode } from '../../../errors.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { addDeliveryFilter, type DeliveryFilterOptions, toDeliveryFilter } from '../../delivery-filter.ts';
import { renderAttempt } from '../../render/deliveries.ts';

export const command: CommandDefinition<DeliveryFilterOptions> = {
  configure: addDeliveryFilter,
  examples: ['deliveries tail', 'deliveries tail --since 1h --type order.shipped --json'],
  run,
};

/** Prints attempts until it is interrupted. */
async function run(options: DeliveryFilterOptions, context: Context): Promise<ExitCode> {
  const control = await context.connect();
  const stream = control.stream({ ...toDeliveryFilter(options), types: 'attempt' }, context.signal);
  await stream.ready;
  if (context.json) context.printItem({ type: 'ready' }, () => '');
  else context.io.note('Waiting for attempts. Ctrl-C stops.');
  for await (const item of stream) {
    if (item.type === 'attempt') context.printItem(item, () => renderAttempt(item, context));
  }
  return ExitCode.interrupted;
}
