import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { chooseWebhook } from './choose-webhook.ts';

interface Options {
  readonly id?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command) => command.argument('[id]', 'wh_…; its pending deliveries are canceled'),
  examples: ['webhooks delete wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
  run,
};

async function run({ id }: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const deleted = await control.deleteWebhook({ id: await chooseWebhook(id, control, context) });
  const canceled = deleted.canceled_deliveries;
  context.print(deleted, () => `${deleted.id} is deleted; pending deliveries canceled: ${canceled}.`);
}
