import { Option } from 'commander';
import { SvcError } from '../../../errors.ts';
import { webhookChoices } from '../../choices/resource-choices.ts';
import type { CommandDefinition } from '../../command.ts';
import type { Context } from '../../context.ts';
import { parseHeaders, parseList, parseWebhookUrl } from '../../option-parsers.ts';
import { askChoice } from '../../prompt.ts';
import { renderWebhook } from '../../render/webhook.ts';

interface Options {
  readonly id?: string;
  readonly url?: string;
  readonly events?: readonly string[];
  /** False: none any more. */
  readonly headers?: Readonly<Record<string, string>> | false;
  readonly skipVerify?: boolean;
  readonly disable?: true;
  readonly enable?: true;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command
      .argument('[id]', 'wh_…')
      .option('--url <url>', 'Port or URL to deliver to from now on', parseWebhookUrl)
      .option('-e, --events <list>', 'subscribe to these event types instead', parseList)
      .option(
        '-H, --headers <header>',
        "'Name: value' to add to each delivery from now on; may be repeated",
        parseHeaders,
      )
      .option('--no-headers', 'add no headers any more')
      .option('--skip-verify', 'take any TLS certificate of the receiver')
      .option('--no-skip-verify', 'check the certificate again')
      .addOption(new Option('--disable', 'create no more deliveries for it').conflicts('enable'))
      .option('--enable', 'create deliveries for it again'),
  examples: [
    'webhooks update wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --url http://localhost:4000/hooks',
    'webhooks update wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --disable',
  ],
  run,
};

async function run({ id, ...options }: Options, context: Context): Promise<void> {
  const { url, events, headers, skipVerify, disable, enable } = options;
  const changes = {
    ...(url === undefined ? {} : { url }),
    ...(events === undefined ? {} : { events: [...events] }),
    ...(headers === undefined ? {} : { headers: headers || {} }),
    ...(skipVerify === undefined ? {} : { skip_verify: skipVerify }),
    ...(disable || enable ? { disabled: disable === true } : {}),
  };
  if (Object.keys(changes).length === 0) {
    throw new SvcError(
      'usage',
      'There is nothing to change: pass --url, --events, --disable or another option.',
    );
  }
  const control = await context.connect();
  const webhook = await control.updateWebhook({
    id: id ?? (await askChoice(context, 'id', webhookChoices)),
    ...changes,
  });
  context.print(webhook, () => renderWebhook(webhook, context.io));
}
