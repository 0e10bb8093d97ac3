import { settings } from '../../config/settings.ts';
import type { Verification } from '../../contract/delivery-schemas.ts';
import { verify, verifyMessage } from '../../domain/signature/verify.ts';
import { ExitCode, SvcError } from '../../errors.ts';
import type { CommandDefinition } from '../command.ts';
import type { Context } from '../context.ts';
import { collectValues, parseDurationMs, parseTimeOption, type RelativeTime } from '../option-parsers.ts';
import { parseRawRequest } from '../raw-request.ts';
import { readNamedFile, readValue } from '../read-value.ts';
import { renderVerification } from '../render/verification.ts';

interface Options {
  readonly secret?: readonly string[];
  readonly payload?: string;
  readonly signature?: string;
  readonly timestamp?: string;
  readonly id?: string;
  readonly delivery?: string;
  readonly computed?: string;
  readonly request?: string;
  readonly tolerance?: number;
  readonly now?: RelativeTime;
  readonly scheme?: string;
}

export const command: CommandDefinition<Options> = {
  configure: (command) =>
    command
      .option('--secret <secret>', 'the secret of the endpoint; otherwise SVC_WEBHOOK_SECRET', collectValues)
      .option('--payload <body>', 'the raw body: text, @file, or - for standard input')
      .option('--signature <header>', 'the signature header')
      .option('--timestamp <header>', 'the timestamp header')
      .option('--id <header>', 'the id header, for schemes that sign it')
      .option(
        '--delivery <id>',
        'ask the emulator about the last attempt of this delivery, as of when it was sent',
      )
      .option(
        '--computed <digest>',
        'Digest that your receiver computed for --delivery: names the mistake that leads to it',
      )
      .option('--request <file>', 'take all of it from a file with a raw HTTP request')
      .option('--tolerance <duration>', 'how old or early it may be; 5m when left out', parseDurationMs)
      .option('--now <when>', 'the time to judge at: -6m, a time, or seconds since 1970', parseTimeOption)
      .option('--scheme <name>', settings.scheme.description),
  examples: [
    'verify --secret whsec_… --payload @body.json --signature v1=… --timestamp 2026-11-20T23:06:00Z',
    'verify --delivery del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --secret whsec_…',
    'verify --delivery del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --payload @body-as-my-receiver-had-it',
    'verify --delivery del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --computed v1=5257a869…',
    'verify --secret whsec_… --request request.txt --scheme stripe',
  ],
  run,
};

async function run(options: Options, context: Context): Promise<ExitCode> {
  const result = await verifyInput(options, context);
  context.print(result, () => renderResult(result, context));
  return result.ok ? ExitCode.success : ExitCode.failure;
}

async function verifyInput(options: Options, context: Context): Promise<Verification> {
  const { payload, delivery, request } = options;
  if (options.computed !== undefined && delivery === undefined) {
    throw new SvcError(
      'usage',
      '--computed needs --delivery: the emulator compares the digest with what it sent.',
      {
        hint: 'Name the delivery that your receiver refused: --delivery del_…',
      },
    );
  }
  if (request !== undefined) return verifyRequest(request, options, context);
  if (delivery !== undefined) return verifySentDelivery(delivery, options, context);
  if (payload === undefined) {
    throw new SvcError('usage', 'Pass one of --payload, --request and --delivery.', {
      hint: '--delivery goes with --payload too: the body as your receiver had it.',
    });
  }
  const { signature, timestamp, id } = options;
  const given = await resolveVerifySettings(options, context);
  return verify({ ...given, payload: await readValue(payload, context), signature, timestamp, id });
}

/** @param file with a raw HTTP request. */
async function verifyRequest(file: string, options: Options, context: Context): Promise<Verification> {
  rejectConflicts('request', ['payload', 'delivery', 'signature', 'timestamp', 'id'], options);
  const given = await resolveVerifySettings(options, context);
  const { headers, body } = parseRawRequest(await readNamedFile(file, context.cwd));
  return verifyMessage({ ...given, headers, payload: body });
}

/** By the emulator, which knows what it sent, how it signed, and every secret. */
async function verifySentDelivery(id: string, options: Options, context: Context): Promise<Verification> {
  rejectConflicts('delivery', ['signature', 'timestamp', 'id', 'scheme'], options);
  if (options.computed !== undefined) rejectConflicts('computed', ['now', 'tolerance'], options);
  const { secret, payload, now, tolerance, computed } = options;
  const ownSecret = context.env.SVC_WEBHOOK_SECRET;
  const control = await context.connect();
  return control.verifyDelivery({
    id,
    secrets: secret ? [...secret] : ownSecret ? [ownSecret] : undefined,
    payload_base64:
      payload === undefined ? undefined : (await readValue(payload, context)).toString('base64'),
    now: now && new Date(now(context.now())).toISOString(),
    tolerance_ms: tolerance,
    computed,
  });
}

const conflictHints = {
  request: 'It is in the file.',
  delivery: 'The emulator takes it from what it sent.',
  computed: 'A digest is compared whatever its age.',
};

/** An option that says what another one brings along would have no effect. @throws SvcError `usage` */
function rejectConflicts(
  source: keyof typeof conflictHints,
  others: readonly (keyof Options)[],
  options: Options,
): void {
  const other = others.find((name) => options[name] !== undefined);
  if (other === undefined) return;
  throw new SvcError('usage', `--${source} and --${other} exclude each other.`, {
    hint: conflictHints[source],
  });
}

/** What there is to verify by. */
async function resolveVerifySettings({ secret, scheme: name, tolerance, now }: Options, context: Context) {
  const own = context.env.SVC_WEBHOOK_SECRET;
  if (!(secret ?? own)) {
    throw new SvcError('usage', 'There is no secret: pass --secret or set SVC_WEBHOOK_SECRET.');
  }
  const { signature: scheme, signatureToleranceMs } = await context.rules({ scheme: name });
  const { schemes } = (await context.config()).values;
  return {
    scheme,
    secret: secret ?? own ?? [],
    otherSecrets: own ? [{ name: 'the secret in SVC_WEBHOOK_SECRET', secret: own }] : [],
    otherSchemes: Object.values(schemes),
    toleranceMs: tolerance ?? signatureToleranceMs,
    now: now?.(context.now()) ?? context.now(),
  };
}

function renderResult(result: Verification, { io }: Context): string {
  const verdict = renderVerification(result, io);
  return result.remedy === null ? verdict : `${verdict}\n${result.remedy}`;
}
