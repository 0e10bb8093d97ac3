import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { deliveries } from '../../offers/resources.ts';
import { askChoice } from '../../prompt.ts';
import { renderDelivery } from '../../render/delivery-detail.ts';
import { findScheduleNow } from '../../schedule-now.ts';

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
  const delivery = await control.getDelivery({ id: id ?? (await askChoice(context, 'id', deliveries)) });
  const now = await findScheduleNow([delivery], control, context);
  context.print(delivery, () => renderDelivery(delivery, now(delivery), context));
}
