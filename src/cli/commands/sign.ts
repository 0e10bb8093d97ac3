/** `svc sign`: signs a payload as the emulator would. */
import { settings } from '../../config/settings.ts';
import { toCurl } from '../../domain/curl.ts';
import { UlidGenerator } from '../../domain/ids.ts';
import { requireSecrets } from '../../domain/signature/digest.ts';
import { signDelivery } from '../../domain/signature/sign.ts';
import { SvcError } from '../../errors.ts';
import type { CommandDefinition } from '../command.ts';
import {
  collectValues,
  parseReceiverUrl,
  parseTimeOption,
  type RelativeTime,
  requireSecret,
} from '../option-parsers.ts';
import { readValue } from '../read-value.ts';

interface Options {
  readonly payload: string;
  readonly secret?: readonly string[];
  readonly at?: RelativeTime;
  readonly id?: string;
  readonly scheme?: string;
  readonly curl?: string | true;
}

const EXAMPLE_URL = 'http://localhost:3000/webhooks';

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command
      .requiredOption('--payload <body>', 'Body to sign: text, @file, or - for standard input')
      .option(
        '--secret <secret>',
        'Endpoint secret; repeat it to sign with several, as during a rotation (default: SVC_WEBHOOK_SECRET)',
        collectValues,
      )
      .option(
        '--at <when>',
        'Timestamp to sign, such as -6m, 2026-11-20T12:00:00Z or seconds since 1970 (default: now)',
        parseTimeOption,
      )
      .option('--id <id>', 'Delivery ID (default: a new one)')
      .option(
        '--curl [url]',
        `Print a curl command that sends the payload (default: ${EXAMPLE_URL})`,
        parseReceiverUrl,
      )
      .option('--scheme <name>', `${settings.scheme.description} (default: the scheme setting)`),
  examples: [
    ['Print the signature headers for a body', 'sign --secret whsec_… --payload @body.json'],
    [
      'Print a curl command that sends a delivery that is too old',
      'sign --secret whsec_… --payload \'{"data":{"id":"evt_1"}}\' --at -6m --curl http://localhost:3000/webhooks',
    ],
  ],
  async run(options, context) {
    const { now } = context;
    const { signature: scheme } = await context.resolveRules({ scheme: options.scheme });
    const secret = requireSecret(options.secret, context);
    const body = await readValue(options.payload, context);
    const { headers, timestamp, signedContent } = signDelivery({
      scheme,
      secrets: requireSecrets(scheme, secret),
      id: options.id ?? new UlidGenerator().next('delivery', now()),
      timestampMs: options.at?.(now()) ?? now(),
      body,
    });
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
  },
};

/** @throws SvcError `usage` for bytes that a command line cannot contain. */
function toText(body: Buffer): string {
  const text = body.toString();
  if (Buffer.from(text).equals(body) && !text.includes('\0')) return text;
  throw new SvcError('usage', 'The body is not valid UTF-8 text, so a curl command cannot contain it.', {
    hint: 'Write the body to a file and pass --payload @FILE.',
  });
}
