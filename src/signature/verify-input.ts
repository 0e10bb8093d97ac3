/** Validates the input of a verification. */
import { MINUTE_MS } from '../domain/duration.ts';
import {
  headerNotString,
  optionInvalid,
  payloadUnreadable,
  type Refusal,
  schemeInvalid,
  secretMissing,
} from './refusals.ts';
import type { SignatureScheme } from './scheme.ts';
import { findScheme, findSchemeProblem, type SchemeName, schemeNames } from './schemes.ts';
import { isUsableSecret } from './sign.ts';

/** Five minutes in both directions (§6.3, §8 of the service description; gap `signature.tolerance`). */
const DEFAULT_TOLERANCE_MS = 5 * MINUTE_MS;
/** The range of `Date` around 1970. */
const MAX_TIME_MS = 8.64e15;

/** The options of every verification. */
export interface VerifyOptions {
  /** The endpoint secret; several during a rotation. Undefined is refused as `secret_missing`. */
  readonly secret: string | readonly string[] | undefined;
  /** The name of a built-in scheme, or your own scheme (default: `svc`). */
  readonly scheme?: SchemeName | SignatureScheme | undefined;
  /** Maximum distance of the timestamp from `now`, in both directions (default: 5 minutes). */
  readonly toleranceMs?: number | undefined;
  /** Wall time in milliseconds since 1970. */
  readonly now: number;
  /** Schemes that are not accepted but recognized in the explanation, in addition to the built-in ones. */
  readonly otherSchemes?: readonly SignatureScheme[] | undefined;
  /** The body as it was sent, if known: shows how it was changed. */
  readonly sentBody?: string | Uint8Array | undefined;
  /** Secrets that are not accepted but recognized in the explanation, each with a name such as `the secret of wh_…`. */
  readonly otherSecrets?: readonly NamedSecret[] | undefined;
}

export interface NamedSecret {
  readonly name: string;
  readonly secret: string;
}

/** A header as Node.js or the Fetch API returns it. An array is refused as `header_malformed`. */
export type HeaderValue = string | readonly string[] | null | undefined;

/** The four inputs of verification (§6.2), and the ID for schemes that sign it. */
export interface VerifyInput extends VerifyOptions {
  /** The raw request body; null when it could not be read. */
  readonly payload: string | Uint8Array | null;
  readonly signature: HeaderValue;
  readonly timestamp?: HeaderValue;
  readonly id?: HeaderValue;
  /** The header `Content-Encoding`, to detect a body that was decompressed before verification. */
  readonly contentEncoding?: string | null | undefined;
}

/** A {@link VerifyInput} after validation: correct types, defaults filled in, missing headers empty. */
export type ParsedVerifyInput = Exclude<ReturnType<typeof parseVerifyInput>, Refusal>;
type Unchecked<Input> = { readonly [Field in keyof Input]?: unknown };

/** Validates the input without trusting its types: plain JavaScript calls this, too. */
export function parseVerifyInput(input: unknown) {
  const fields: Unchecked<VerifyInput> = Object(input);
  const { payload, toleranceMs = DEFAULT_TOLERANCE_MS, now } = fields;
  const nameOrScheme = fields.scheme ?? 'svc';
  const scheme = findScheme(nameOrScheme);
  if (scheme === null) return refuseScheme(nameOrScheme);
  if (!isDuration(toleranceMs)) return optionInvalid('toleranceMs', 'a number of milliseconds, at least 0');
  if (!isTime(now)) return optionInvalid('now', 'a time in milliseconds since 1970');
  const secrets = toArray(fields.secret).filter((secret) => isUsableSecret(scheme, secret));
  if (secrets.length === 0) return secretMissing;
  if (!isBody(payload)) return payloadUnreadable(payload);
  const { headers } = scheme;
  const texts = [
    ['signature', headers.signature],
    ['timestamp', headers.timestamp ?? 'timestamp'],
    ['id', headers.id ?? 'id'],
  ] as const;
  for (const [field, header] of texts) {
    const value = fields[field] ?? '';
    if (typeof value !== 'string') return headerNotString(header, value);
  }
  const [signature = '', timestamp = '', id = ''] = texts.map(([field]) =>
    String(fields[field] ?? '').trim(),
  );
  // What only helps to explain a failure: invalid values are ignored.
  const { otherSecrets = [], otherSchemes = [], sentBody, contentEncoding } = fields;
  return {
    scheme,
    secrets,
    toleranceMs,
    now,
    payload,
    signature,
    timestamp,
    id,
    otherSecrets: toArray(otherSecrets).filter((other) => isNamedSecret(scheme, other)),
    otherSchemes: toArray(otherSchemes)
      .map(findScheme)
      .filter((other) => other !== null),
    sentBody: isBody(sentBody) ? sentBody : null,
    contentEncoding: typeof contentEncoding === 'string' ? contentEncoding.trim().toLowerCase() : '',
  };
}

function refuseScheme(nameOrScheme: unknown): Refusal {
  const problem = typeof nameOrScheme === 'object' ? findSchemeProblem(nameOrScheme) : null;
  return problem === null
    ? optionInvalid('scheme', `one of ${schemeNames.join(', ')}, or a scheme object`)
    : schemeInvalid(problem);
}

function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && value >= 0;
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= MAX_TIME_MS;
}

function isBody(value: unknown): value is string | Uint8Array {
  // Not `instanceof`: in some test runners the bytes come from another realm.
  return (
    typeof value === 'string' ||
    (ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === '[object Uint8Array]')
  );
}

function isNamedSecret(scheme: SignatureScheme, value: unknown): value is NamedSecret {
  const { name, secret }: Unchecked<NamedSecret> = Object(value);
  return typeof name === 'string' && isUsableSecret(scheme, secret);
}
