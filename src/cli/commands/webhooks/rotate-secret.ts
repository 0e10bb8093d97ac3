import { webhookChoices } from '../../choices/resource-choices.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { parseDurationMs } from '../../option-parsers.ts';
import { askChoice } from '../../prompt.ts';
import { renderWebhook } from '../../render/webhook.ts';

interface Options {
  readonly id?: string;
  readonly overlap?: number;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command
      .argument('[id]', 'wh_…')
      .option(
        '--overlap <duration>',
        'how long the old secret signs as well; 24h when left out',
        parseDurationMs,
      ),
  examples: ['webhooks rotate-secret wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --overlap 1h'],
  run,
};

async function run({ id, overlap }: Options, context: Context): Promise<void> {
  const control = await context.connect();
  const webhook = await control.rotateWebhookSecret({
    id: id ?? (await askChoice(context, 'id', webhookChoices)),
    ...(overlap === undefined ? {} : { overlap_ms: overlap }),
  });
  context.print(webhook, () => renderWebhook(webhook, context.io));
  context.io.note('The secret is shown this once.');
}
