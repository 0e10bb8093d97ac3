import { IdSource } from '../../domain/ids.ts';
import { findScheme, schemeNames } from '../../domain/signature/schemes.ts';
import { type SignedDelivery, signDelivery } from '../../domain/signature/sign.ts';
import { SvcError } from '../../errors.ts';
import { choiceOption, type Instant, toInstant, toRepeated } from '../arguments.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { quoteForShell } from '../shell.ts';
import { readValue } from '../values.ts';

interface Options {
  readonly payload: string;
  readonly secret?: readonly string[];
  readonly at?: Instant;
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
        toRepeated,
      )
      .option(
        '--at <when>',
        'the time to sign with: -6m for a stale one, a time, or seconds since 1970',
        toInstant,
      )
      .option('--id <id>', 'the id of the delivery; a new one when left out')
      .option('--curl [url]', `print a command that sends it; to ${EXAMPLE_URL} when left out`)
      .addOption(choiceOption('--scheme <name>', 'whose signatures', schemeNames)),
  examples: [
    'sign --secret whsec_… --payload @body.json',
    'sign --secret whsec_… --payload \'{"data":{"id":"evt_1"}}\' --at -6m --curl http://localhost:3000/webhooks',
  ],
  run,
};

const EXAMPLE_URL = 'http://localhost:3000/webhooks';

async function run(options: Options, context: Context): Promise<void> {
  const { env, now } = context;
  const secrets = options.secret ?? (env.SVC_WEBHOOK_SECRET ? [env.SVC_WEBHOOK_SECRET] : []);
  if (secrets.length === 0 || secrets.includes('')) {
    throw new SvcError('usage', 'There is no secret to sign with: pass --secret or set SVC_WEBHOOK_SECRET.');
  }
  const body = (await readValue(options.payload, context)).toString('utf8');
  const signed = signDelivery({
    scheme: findScheme(options.scheme) ?? (await context.rules()).signature,
    secrets,
    id: options.id ?? new IdSource().next('delivery', now()),
    timestampMs: options.at?.(now()) ?? now(),
    body,
  });
  const { headers, timestamp, signedContent } = signed;
  if (options.curl !== undefined) {
    const url = options.curl === true ? EXAMPLE_URL : options.curl;
    context.print({ curl: toCurl(url, signed, body) }, () => toCurl(url, signed, body));
    return;
  }
  context.print({ headers, timestamp, signed_content: String(signedContent) }, () =>
    toLines(headers).join('\n'),
  );
}

function toCurl(url: string, { headers }: SignedDelivery, body: string): string {
  const parts = toLines({ 'Content-Type': 'application/json', ...headers }).map(
    (line) => `-H ${quoteForShell(line)}`,
  );
  return ['curl', quoteForShell(url), ...parts, `--data-binary ${quoteForShell(body)}`].join(' \\\n  ');
}

function toLines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}
