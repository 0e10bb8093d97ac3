/** `svc sign` and `svc verify`: signs a payload as the emulator would, and checks the signature of a delivery. */
import { resolve } from 'node:path';
import { ExitCode, SvcError } from '../../domain/errors.ts';
import { UlidGenerator } from '../../domain/ids.ts';
import { toCurl } from '../../domain/shell.ts';
import { readBytes } from '../../platform/read-data-file.ts';
import type { Verification } from '../../resources/verification.ts';
import { requireSecrets, signDelivery } from '../../signature/sign.ts';
import { verify as verifyHeaders, verifyMessage } from '../../signature/verify.ts';
import type { Context } from '../context.ts';
import { defineCommand, type ValuesOf } from '../define-command.ts';
import { readValue } from '../file-access.ts';
import { parseDurationMs, parseReceiverUrl, parseTimeOption } from '../option-parsers.ts';
import { parseRawRequest } from '../raw-request.ts';
import { renderVerification } from '../render/style.ts';
import { readSecrets, requireSecretOption, schemeRow, secretRow } from '../secret-option.ts';

const EXAMPLE_URL = 'http://localhost:3000/webhooks';

export const sign = defineCommand({
  options: {
    payload: {
      option: '--payload <body>',
      summary: 'Body to sign: text, @file, or - for standard input',
      ask: true,
    },
    secret: {
      ...secretRow,
      summary: `${secretRow.summary}, to sign with several as during a rotation`,
    },
    at: {
      option: '--at <when>',
      summary: 'Timestamp to sign, such as -6m, 2026-11-20T12:00:00Z or seconds since 1970',
      parse: parseTimeOption,
      defaultText: 'now',
    },
    id: { option: '--id <id>', summary: 'Delivery ID', defaultText: 'a new one' },
    curl: {
      option: '--curl [url]',
      summary: 'Print a curl command that sends the payload',
      parse: parseReceiverUrl,
      defaultText: EXAMPLE_URL,
    },
    scheme: schemeRow,
  },
  examples: [
    ['Print the signature headers for a body', 'sign --secret whsec_… --payload @body.json'],
    [
      'Print a curl command that sends a delivery that is too old',
      'sign --secret whsec_… --payload \'{"data":{"id":"evt_1"}}\' --at -6m --curl http://localhost:3000/webhooks',
    ],
  ],
  async run(options, context) {
    const { now } = context;
    const scheme = await context.resolveScheme(options.scheme);
    const secrets = await requireSecretOption(options.secret, context);
    const body = await readValue(options.payload, context);
    const { headers, timestamp, signedContent } = signDelivery({
      scheme,
      secrets: requireSecrets(scheme, secrets),
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
});

/** @throws SvcError `usage` for bytes that a command line cannot contain. */
function toText(body: Buffer): string {
  const text = body.toString();
  if (Buffer.from(text).equals(body) && !text.includes('\0')) return text;
  throw new SvcError('usage', 'The body is not valid UTF-8 text, so a curl command cannot contain it.', {
    hint: 'Write the body to a file and pass --payload @FILE.',
  });
}

const verifyRows = {
  secret: secretRow,
  payload: { option: '--payload <body>', summary: 'Raw body: text, @file, or - for standard input' },
  signature: { option: '--signature <header>', summary: 'Value of the signature header' },
  timestamp: { option: '--timestamp <header>', summary: 'Value of the timestamp header' },
  id: { option: '--id <header>', summary: 'Value of the ID header, for schemes that sign it' },
  delivery: {
    option: '--delivery <id>',
    summary: 'Check the last attempt of this delivery, as of the time it was sent',
    idKind: 'delivery',
    conflicts: ['signature', 'timestamp', 'id', 'scheme'],
  },
  computed: {
    option: '--computed <digest>',
    summary: 'With --delivery: digest that your receiver computed, to find the mistake that produces it',
    needs: 'delivery',
    conflicts: ['now', 'tolerance'],
  },
  request: {
    option: '--request <file>',
    summary: 'File with the raw HTTP request: headers and body',
    conflicts: ['payload', 'delivery', 'signature', 'timestamp', 'id'],
  },
  tolerance: {
    option: '--tolerance <duration>',
    summary: 'Maximum difference between the timestamp and --now',
    parse: parseDurationMs,
    defaultText: '5m',
  },
  now: {
    option: '--now <when>',
    summary: 'Time to compare the timestamp with, such as -6m, 2026-11-20T12:00:00Z or seconds since 1970',
    parse: parseTimeOption,
    defaultText: 'now',
  },
  scheme: schemeRow,
} as const;

type VerifyOptions = ValuesOf<typeof verifyRows>;

export const verify = defineCommand({
  options: verifyRows,
  examples: [
    [
      'Check a body and its headers',
      'verify --secret whsec_… --payload @body.json --signature v1=… --timestamp 2026-11-20T23:06:00Z',
    ],
    [
      'Check a delivery with the secret of your receiver',
      'verify --delivery del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --secret whsec_…',
    ],
    [
      'Compare the body that was sent with the body that your receiver verified',
      'verify --delivery del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --payload @body-in-my-receiver',
    ],
    [
      'Find the mistake behind the digest that your receiver computed',
      'verify --delivery del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D --computed v1=5257a869…',
    ],
    [
      'Check a recorded HTTP request with the Stripe scheme',
      'verify --secret whsec_… --request request.txt --scheme stripe',
    ],
  ],
  async run(options, context) {
    const result = await runVerification(options, context);
    const verdict = renderVerification(result, context.io);
    context.print(result, () => (result.remedy === null ? verdict : `${verdict}\n${result.remedy}`));
    return result.ok ? ExitCode.success : ExitCode.failure;
  },
});

async function runVerification(options: VerifyOptions, context: Context): Promise<Verification> {
  const { payload, delivery, request } = options;
  if (request !== undefined) {
    const verifyOptions = await resolveVerifyOptions(options, context);
    const { headers, body } = parseRawRequest(readBytes(resolve(context.cwd, request)), request);
    return verifyMessage({ ...verifyOptions, headers, payload: body });
  }
  if (delivery !== undefined) return verifySentDelivery(delivery, options, context);
  if (payload === undefined) {
    throw new SvcError('usage', 'Nothing to verify: --payload, --request and --delivery are missing.', {
      hint: 'Pass one of them. With --delivery, --payload is the body that your receiver verified.',
    });
  }
  const { signature, timestamp, id } = options;
  const verifyOptions = await resolveVerifyOptions(options, context);
  return verifyHeaders({
    ...verifyOptions,
    payload: await readValue(payload, context),
    signature,
    timestamp,
    id,
  });
}

/** Lets the emulator verify, because only it knows what was sent, the scheme and all secrets. */
async function verifySentDelivery(
  id: string,
  options: VerifyOptions,
  context: Context,
): Promise<Verification> {
  const { secret, payload, now, tolerance, computed } = options;
  const secrets = await readSecrets(secret, context);
  const control = await context.connect();
  return control.verifyDelivery({
    id,
    secrets: secrets.length > 0 ? secrets : undefined,
    payload_base64:
      payload === undefined ? undefined : (await readValue(payload, context)).toString('base64'),
    now: now && new Date(now(context.now())).toISOString(),
    tolerance_ms: tolerance,
    computed,
  });
}

async function resolveVerifyOptions(
  { secret, scheme: name, tolerance, now }: VerifyOptions,
  context: Context,
) {
  const environmentSecret = context.env.SVC_WEBHOOK_SECRET;
  const scheme = await context.resolveScheme(name);
  const { signatureToleranceMs } = await context.resolveRules();
  const { senders } = (await context.resolveConfig()).values;
  return {
    scheme,
    secret: await requireSecretOption(secret, context),
    // Not accepted. If the signature matches one of these, the result names the secret that was used by mistake.
    otherSecrets: environmentSecret
      ? [{ name: 'the secret in SVC_WEBHOOK_SECRET', secret: environmentSecret }]
      : [],
    otherSchemes: Object.values(senders).map((sender) => sender.scheme),
    toleranceMs: tolerance ?? signatureToleranceMs,
    now: now?.(context.now()) ?? context.now(),
  };
}
