import { webhookChoices } from '../../choices/resource-choices.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { askChoice, confirm } from '../../prompt.ts';

interface Options {
  readonly id?: string;
  readonly yes?: true;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command
      .argument('[id]', 'wh_…; its pending deliveries are canceled')
      .option('--yes', 'delete it without being asked'),
  examples: ['webhooks delete wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
  run,
};

async function run({ id, yes }: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const wanted = id ?? (await askChoice(context, 'id', webhookChoices));
  await confirm(context, `Delete ${wanted}? Its pending deliveries are canceled.`, yes);
  const deleted = await control.deleteWebhook({ id: wanted });
  const canceled = deleted.canceled_deliveries;
  context.print(deleted, () => `${deleted.id} is deleted; pending deliveries canceled: ${canceled}.`);
}
