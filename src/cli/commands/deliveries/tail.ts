import type { ExitCode } from '../../../errors.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import {
  addDeliveryFilterOptions,
  type DeliveryFilterOptions,
  toDeliveryFilter,
} from '../../delivery-filter.ts';
import { followAttempts, typesToFollow } from '../../live/follow.ts';

export const command: CommandDefinition<DeliveryFilterOptions> = {
  configure: addDeliveryFilterOptions,
  examples: ['deliveries tail', 'deliveries tail --since 1h --type order.shipped --json'],
  run,
};

/** Shows attempts until it is left or interrupted. */
async function run(options: DeliveryFilterOptions, context: Context): Promise<ExitCode> {
  const control = await context.connect();
  const filter = { ...toDeliveryFilter(options), types: typesToFollow(context) };
  const stream = control.stream(filter, context.signal);
  return followAttempts(stream, context, { control, heading: 'Attempts as they happen. Ctrl-C stops.' });
}
