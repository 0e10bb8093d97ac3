import { eventTypeChoices } from '../../choices/event-type-choices.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { parseList, parseWebhookUrl } from '../../option-parsers.ts';
import { askChoice, askText } from '../../prompt.ts';
import { renderWebhook } from '../../render/webhook.ts';

interface Options {
  readonly url?: string;
  readonly events?: readonly string[];
  readonly workspace?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command
      .option(
        '--url <url>',
        'Port or URL to deliver to, such as 3000 or localhost:3000/hooks',
        parseWebhookUrl,
      )
      .option('-e, --events <list>', 'event types to subscribe to, or *', parseList)
      .option('--workspace <id>', 'the workspace; otherwise SVC_WORKSPACE_ID, or the one made at boot'),
  examples: [
    'webhooks create --url 3000/webhooks --events order.shipped',
    'webhooks create --url http://localhost:3000/webhooks --events order.shipped,invoice.paid',
    "webhooks create --url https://example.com/hooks -e '*' --json",
  ],
  run,
};

/** Goes through the public API, so that the key's scopes and workspace count. */
async function run({ url, events, workspace }: Options, context: Context): Promise<void> {
  const address = url ?? (await askText(context, 'url', parseWebhookUrl));
  const types = events ?? [await askChoice(context, 'events', eventTypeChoices)];
  const api = await context.api();
  const { value: webhook, text } = await api.createWebhook({
    workspace_id: workspace ?? (await context.workspaceId()),
    url: address,
    events: types,
  });
  context.printJsonText(text, () => renderWebhook(webhook, context.io));
  context.io.note('The secret is shown this once.');
}
