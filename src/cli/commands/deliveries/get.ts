import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { renderDelivery } from '../../render/delivery-detail.ts';
import { findScheduleNow } from '../../schedule-now.ts';
import { chooseDelivery } from './choose-delivery.ts';

interface Options {
  readonly id?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command) => command.argument('[id]', 'del_…'),
  examples: ['deliveries get del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
  run,
};

async function run({ id }: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const delivery = await control.getDelivery({ id: id ?? (await chooseDelivery(control, context)) });
  const now = await findScheduleNow([delivery], control, context);
  context.print(delivery, () => renderDelivery(delivery, now(delivery), context));
}
