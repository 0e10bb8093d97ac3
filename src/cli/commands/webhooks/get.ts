import { webhookChoices } from '../../choices/resource-choices.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { askChoice } from '../../prompt.ts';
import { renderWebhook } from '../../render/webhook.ts';
import { fetchScheduleTimes } from '../../schedule-time.ts';

interface Options {
  readonly id?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command) => command.argument('[id]', 'wh_…'),
  examples: ['webhooks get wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
  run,
};

async function run({ id }: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const webhook = await control.getWebhook({ id: id ?? (await askChoice(context, 'id', webhookChoices)) });
  const now = await fetchScheduleTimes([webhook], control, context);
  context.print(webhook, () => renderWebhook(webhook, context.io, now(webhook)));
}
