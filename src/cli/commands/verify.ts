import { settings } from '../../config/settings.ts';
import { type VerifyResult, verify, verifyMessage } from '../../domain/signature/verify.ts';
import { ExitCode, SvcError } from '../../errors.ts';
import { type Instant, toDurationMs, toInstant, toRepeated } from '../arguments.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { toHeaderLookup } from '../headers.ts';
import { parseRawRequest } from '../raw-request.ts';
import { styleFor } from '../render/style.ts';
import { readNamedFile, readValue } from '../values.ts';

interface Options {
  readonly secret?: readonly string[];
  readonly payload?: string;
  readonly signature?: string;
  readonly timestamp?: string;
  readonly id?: string;
  readonly delivery?: string;
  readonly request?: string;
  readonly tolerance?: number;
  readonly now?: Instant;
  readonly scheme?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command
      .option('--secret <secret>', 'the secret of the endpoint; otherwise SVC_WEBHOOK_SECRET', toRepeated)
      .option('--payload <body>', 'the raw body: text, @file, or - for standard input')
      .option('--signature <header>', 'the signature header')
      .option('--timestamp <header>', 'the timestamp header')
      .option('--id <header>', 'the id header, for schemes that sign it')
      .option(
        '--delivery <id>',
        'take all of it from the last attempt of this delivery, as of when it was sent',
      )
      .option('--request <file>', 'take all of it from a file with a raw HTTP request')
      .option('--tolerance <duration>', 'how old or early it may be; 5m when left out', toDurationMs)
      .option('--now <when>', 'the time to judge at: -6m, a time, or seconds since 1970', toInstant)
      .option('--scheme <name>', settings.scheme.description),
  examples: [
    'verify --secret whsec_… --payload @body.json --signature v1=… --timestamp 2026-11-20T23:06:00Z',
    'verify --secret whsec_… --delivery del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D',
    'verify --secret whsec_… --request request.txt --scheme stripe',
  ],
  run,
};

async function run(options: Options, context: Context): Promise<ExitCode> {
  const result = await verifyGiven(options, context);
  context.print(result, () => renderResult(result, context));
  return result.ok ? ExitCode.done : ExitCode.notSo;
}

async function verifyGiven(options: Options, context: Context): Promise<VerifyResult> {
  const { payload, delivery, request, signature, timestamp, id } = options;
  if ([payload, delivery, request].filter((source) => source !== undefined).length !== 1) {
    throw new SvcError('usage', 'Pass one of --payload, --delivery and --request.');
  }
  const secret = options.secret ?? context.env.SVC_WEBHOOK_SECRET;
  if (!secret) throw new SvcError('usage', 'There is no secret: pass --secret or set SVC_WEBHOOK_SECRET.');
  const now = context.now();
  const { signature: scheme, signatureToleranceMs } = await context.rules({ scheme: options.scheme });
  const given = {
    secret,
    scheme,
    toleranceMs: options.tolerance ?? signatureToleranceMs,
    now: options.now?.(now) ?? now,
  };
  if (request !== undefined) {
    const { headers, body } = parseRawRequest(await readNamedFile(request, context.cwd));
    return verifyMessage({ ...given, headers, payload: body });
  }
  if (delivery !== undefined) {
    const attempt = await getLastAttempt(delivery, context);
    return verifyMessage({
      ...given,
      now: options.now?.(now) ?? Date.parse(attempt.sent_at),
      headers: toHeaderLookup(Object.entries(attempt.request.headers)),
      payload: attempt.request.body,
    });
  }
  return verify({ ...given, payload: await readValue(payload ?? '', context), signature, timestamp, id });
}

async function getLastAttempt(id: string, context: Context) {
  const { attempts } = await (await context.connect()).getDelivery({ id });
  const attempt = attempts.at(-1);
  if (attempt === undefined) throw new SvcError('not_found', `${id} has not been attempted yet.`);
  return attempt;
}

function renderResult(result: VerifyResult, { io }: Context): string {
  const style = styleFor(io);
  if (result.ok) return `${style.green('valid')}  ${result.detail}`;
  return `${style.red(result.reason)}  ${result.detail}\n${result.remedy}`;
}
