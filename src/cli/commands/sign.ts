import { settings } from '../../config/settings.ts';
import { toCurl } from '../../domain/curl.ts';
import { UlidGenerator } from '../../domain/ids.ts';
import { requireSecrets } from '../../domain/signature/digest.ts';
import { signDelivery } from '../../domain/signature/sign.ts';
import { SvcError } from '../../errors.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { collectValues, parseReceiverUrl, parseTimeOption, type RelativeTime } from '../option-parsers.ts';
import { readValue } from '../read-value.ts';

interface Options {
  readonly payload: string;
  readonly secret?: readonly string[];
  readonly at?: RelativeTime;
  readonly id?: string;
  readonly scheme?: string;
  readonly curl?: string | true;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command
      .requiredOption('--payload <body>', 'the body: text, @file, or - for standard input')
      .option(
        '--secret <secret>',
        'the secret of the endpoint, several during a rotation; otherwise SVC_WEBHOOK_SECRET',
        collectValues,
      )
      .option(
        '--at <when>',
        'the time to sign with: -6m for a stale one, a time, or seconds since 1970',
        parseTimeOption,
      )
      .option('--id <id>', 'the id of the delivery; a new one when left out')
      .option(
        '--curl [url]',
        `print a command that sends it; to ${EXAMPLE_URL} when left out`,
        parseReceiverUrl,
      )
      .option('--scheme <name>', settings.scheme.description),
  examples: [
    'sign --secret whsec_… --payload @body.json',
    'sign --secret whsec_… --payload \'{"data":{"id":"evt_1"}}\' --at -6m --curl http://localhost:3000/webhooks',
  ],
  run,
};

const EXAMPLE_URL = 'http://localhost:3000/webhooks';

async function run(options: Options, context: Context): Promise<void> {
  const { env, now } = context;
  const { signature: scheme } = await context.rules({ scheme: options.scheme });
  const secret = options.secret ?? env.SVC_WEBHOOK_SECRET;
  if (!secret) throw new SvcError('usage', 'There is no secret: pass --secret or set SVC_WEBHOOK_SECRET.');
  const body = await readValue(options.payload, context);
  const signed = signDelivery({
    scheme,
    secrets: requireSecrets(scheme, secret),
    id: options.id ?? new UlidGenerator().next('delivery', now()),
    timestampMs: options.at?.(now()) ?? now(),
    body,
  });
  const { headers, timestamp, signedContent } = signed;
  if (options.curl !== undefined) {
    const curl = toCurl({
      url: options.curl === true ? EXAMPLE_URL : options.curl,
      headers: { 'Content-Type': 'application/json', ...headers },
      body: options.payload.startsWith('@') ? { file: options.payload.slice(1) } : toText(body),
    });
    context.print({ curl }, () => curl);
    return;
  }
  context.print({ headers, timestamp, signed_content: String(signedContent) }, () =>
    Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
  );
}

/** @throws SvcError `usage` for bytes that no command line can hold. */
function toText(body: Buffer): string {
  const text = body.toString();
  if (Buffer.from(text).equals(body) && !text.includes('\0')) return text;
  throw new SvcError('usage', 'The body is not text, so no command line can hold it.', {
    hint: 'Put it into a file, and pass --payload @FILE.',
  });
}
