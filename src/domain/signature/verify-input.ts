import { MINUTE_MS } from '../duration.ts';
import { isUsableSecret } from './digest.ts';
import {
  headerNotText,
  optionInvalid,
  payloadUnreadable,
  type Refusal,
  schemeInvalid,
  secretMissing,
} from './refusals.ts';
import type { SignatureScheme } from './scheme.ts';
import { findSchemeProblem } from './scheme-check.ts';
import { findScheme, type SchemeName, schemeNames } from './schemes.ts';

/** Five minutes, both ways (§6.3, §8 of the service description; decision `signature.tolerance`). */
const DEFAULT_TOLERANCE_MS = 5 * MINUTE_MS;
/** The furthest that a `Date` reaches from 1970, either way. */
const MAX_TIME_MS = 8.64e15;

/** What a receiver holds against a delivery, whatever form the delivery comes in. */
export interface VerifyOptions {
  /** The secret of the endpoint; several while it is being rotated. */
  readonly secret: string | readonly string[];
  /** The name of a built-in scheme, or a scheme of your own; `svc` when left out. */
  readonly scheme?: SchemeName | SignatureScheme | undefined;
  /** How far the timestamp may be from `now`, into the past and the future; 5 minutes when left out. */
  readonly toleranceMs?: number | undefined;
  /** Wall time in milliseconds since 1970. */
  readonly now: number;
  /** Schemes that are not accepted either, beside the built-in ones. */
  readonly otherSchemes?: readonly SignatureScheme[] | undefined;
  /** The body as the sender has it, where that is known: shows what became of it. */
  readonly sentBody?: string | Uint8Array | undefined;
  /** Secrets that are not accepted, only recognised in the explanation, each with a name such as `the secret of wh_…`. */
  readonly otherSecrets?: readonly NamedSecret[] | undefined;
}

export interface NamedSecret {
  readonly name: string;
  readonly secret: string;
}

/** The four inputs of verification (§6.2), and the id for schemes that sign it. */
export interface VerifyInput extends VerifyOptions {
  /** The raw request body; null when it could not be read. */
  readonly payload: string | Uint8Array | null;
  readonly signature: string | null | undefined;
  readonly timestamp?: string | null | undefined;
  readonly id?: string | null | undefined;
  /** The header `Content-Encoding`: a body that is no longer what it says was decompressed on the way. */
  readonly contentEncoding?: string | null | undefined;
}

/** A {@link VerifyInput} that has been looked through: right types, defaults filled in, absent headers empty. */
export interface ParsedVerifyInput {
  readonly scheme: SignatureScheme;
  readonly secrets: readonly string[];
  readonly otherSecrets: readonly NamedSecret[];
  readonly otherSchemes: readonly SignatureScheme[];
  readonly sentBody: string | Uint8Array | null;
  readonly toleranceMs: number;
  readonly now: number;
  readonly payload: string | Uint8Array;
  readonly signature: string;
  readonly timestamp: string;
  readonly id: string;
  /** In lower case; empty where there is none. */
  readonly contentEncoding: string;
}

type Loose<Input> = { readonly [Member in keyof Input]?: unknown };

/** Reads what a caller passed without trusting its types: plain JavaScript calls this too. */
export function parseVerifyInput(input: unknown): ParsedVerifyInput | Refusal {
  const given: Loose<VerifyInput> = Object(input);
  const { payload, toleranceMs = DEFAULT_TOLERANCE_MS, now } = given;
  const wanted = given.scheme ?? 'svc';
  const scheme = findScheme(wanted);
  if (scheme === null) return refuseScheme(wanted);
  if (!isDuration(toleranceMs)) return optionInvalid('toleranceMs', 'a number of milliseconds from 0 up');
  if (!isTime(now)) return optionInvalid('now', 'a time in milliseconds since 1970');
  const secrets = toArray(given.secret).filter((secret) => isUsableSecret(scheme, secret));
  if (secrets.length === 0) return secretMissing();
  if (!isBody(payload)) return payloadUnreadable(payload);
  const signature = given.signature ?? '';
  const timestamp = given.timestamp ?? '';
  const id = given.id ?? '';
  if (typeof signature !== 'string') return headerNotText(scheme.headers.signature, signature);
  if (typeof timestamp !== 'string') return headerNotText(scheme.headers.timestamp ?? 'timestamp', timestamp);
  if (typeof id !== 'string') return headerNotText(scheme.headers.id ?? 'id', id);
  return {
    ...{ scheme, secrets, toleranceMs, now, payload },
    ...{ signature: signature.trim(), timestamp: timestamp.trim(), id: id.trim() },
    ...readHints(scheme, given),
  };
}

/** What only helps to explain: whatever is not as it should be is left out. */
function readHints(
  scheme: SignatureScheme,
  { otherSecrets = [], otherSchemes = [], sentBody, contentEncoding }: Loose<VerifyInput>,
): Pick<ParsedVerifyInput, 'otherSecrets' | 'otherSchemes' | 'sentBody' | 'contentEncoding'> {
  return {
    otherSecrets: toArray(otherSecrets).filter((other) => isNamedSecret(scheme, other)),
    otherSchemes: toArray(otherSchemes)
      .map(findScheme)
      .filter((other) => other !== null),
    sentBody: isBody(sentBody) ? sentBody : null,
    contentEncoding: typeof contentEncoding === 'string' ? contentEncoding.trim().toLowerCase() : '',
  };
}

function refuseScheme(wanted: unknown): Refusal {
  const fault = typeof wanted === 'object' ? findSchemeProblem(wanted) : null;
  return fault === null
    ? optionInvalid('scheme', `one of ${schemeNames.join(', ')}, or a scheme as data`)
    : schemeInvalid(fault);
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
  // Not `instanceof`: under some test runners the bytes come from another realm.
  return (
    typeof value === 'string' ||
    (ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === '[object Uint8Array]')
  );
}

function isNamedSecret(scheme: SignatureScheme, value: unknown): value is NamedSecret {
  const { name, secret }: Loose<NamedSecret> = Object(value);
  return typeof name === 'string' && isUsableSecret(scheme, secret);
}
