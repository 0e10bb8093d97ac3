/**
 * Describes every way in which verification can fail: a reason from a closed set, the details, and what to do. No message
 * contains a secret, or a signature that was not received.
 */

import { formatDuration } from '../duration.ts';
import { formatCount } from '../message-parts.ts';
import type { SignatureScheme } from './scheme.ts';
import type { SchemeProblem } from './schemes.ts';
import { describeHeaderFormat, getSchemeVersion } from './signature-header.ts';

/**
 * Why a delivery is rejected.
 * - `option_invalid`, `secret_missing`, `payload_unreadable`: the input of the verification is invalid.
 * - `header_missing`, `header_malformed`, `version_unknown`, `timestamp_unreadable`: the headers cannot be read.
 * - `other_scheme`: the headers or the signature belong to another scheme.
 * - `api_key_as_secret`, `wrong_secret`, `timestamp_changed`, `body_changed`: the signature does not match, and the cause is
 *   known or likely.
 * - `signature_mismatch`: the signature does not match, and the cause is unknown.
 * - `timestamp_too_old`, `timestamp_in_future`: the signature is valid, but its time is out of tolerance.
 */
export const refusalReasons = [
  'option_invalid',
  'secret_missing',
  'payload_unreadable',
  'header_missing',
  'header_malformed',
  'version_unknown',
  'timestamp_unreadable',
  'other_scheme',
  'api_key_as_secret',
  'wrong_secret',
  'timestamp_changed',
  'body_changed',
  'signature_mismatch',
  'timestamp_too_old',
  'timestamp_in_future',
] as const;
/** Additional reasons for which a digest that a receiver computed itself can be wrong. */
export const digestOnlyReasons = [
  'digest_malformed',
  'content_changed',
  'key_changed',
  'algorithm_changed',
  'encoding_changed',
] as const;

export type RefusalReason = (typeof refusalReasons)[number];

export interface Refusal {
  readonly reason: RefusalReason;
  readonly detail: string;
  readonly remedy: string;
}

export const PASS_RAW_BODY =
  'Verify the bytes of the request body as they arrived, before any parser or middleware touches them.';
const MAX_QUOTED_CHARS = 80;

export function optionInvalid(option: string, expected: string): Refusal {
  return {
    reason: 'option_invalid',
    detail: `The option ${option} must be ${expected}.`,
    remedy: `Pass ${expected} as ${option}, or omit it to use the default.`,
  };
}

export function schemeInvalid({ path, expected }: SchemeProblem): Refusal {
  return {
    reason: 'option_invalid',
    detail: `The field ${path} of the scheme must be ${expected}.`,
    remedy: 'Correct the scheme, or pass the name of a built-in scheme.',
  };
}

/** Reading the input threw an error, for example in a getter. */
export function inputUnreadable(error: unknown): Refusal {
  return {
    reason: 'option_invalid',
    detail: `Cannot read the input: ${quote(error instanceof Error ? error.message : describeValue(error))}.`,
    remedy: 'Pass plain values: the raw body, the headers as strings and the secret.',
  };
}

export const secretMissing: Refusal = {
  reason: 'secret_missing',
  detail: 'The secret is missing or empty, or nothing is left after decoding it.',
  remedy: 'Pass the current secret of the endpoint. The usual cause is an unset environment variable.',
};

export function payloadUnreadable(payload: unknown): Refusal {
  return {
    reason: 'payload_unreadable',
    detail: `The payload must be a string or the bytes of the request body, but it is ${describeValue(payload)}.`,
    remedy: PASS_RAW_BODY,
  };
}

export function headerMissing(scheme: SignatureScheme, header: string): Refusal {
  return {
    reason: 'header_missing',
    detail: `The header ${header} is missing or empty. The scheme ${scheme.name} requires it.`,
    remedy: `Pass the value of ${header}, and check that no proxy removes it.`,
  };
}

export function headerNotString(header: string, value: unknown): Refusal {
  return {
    reason: 'header_malformed',
    detail: `The value of ${header} must be a string, but it is ${describeValue(value)}.`,
    remedy: `Pass the value of ${header} as one string, as it arrived.`,
  };
}

export function headerMalformed(scheme: SignatureScheme, value: string): Refusal {
  return {
    reason: 'header_malformed',
    detail: `${scheme.headers.signature} is ${quote(value)} (${formatCount(value.length, 'character')}), which does not match the format ${describeHeaderFormat(scheme)}.`,
    remedy: `Pass the whole value of ${scheme.headers.signature} as it arrived, not truncated or converted.`,
  };
}

export function versionUnknown(scheme: SignatureScheme, versions: readonly string[]): Refusal {
  return {
    reason: 'version_unknown',
    detail: `${scheme.headers.signature} contains ${versions.slice(0, 5).join(', ')}, but the scheme ${scheme.name} uses ${getSchemeVersion(scheme)}.`,
    remedy:
      'Verify with the scheme that the sender uses, or update to a version of this library that supports it.',
  };
}

export function timestampUnreadable(value: string): Refusal {
  return {
    reason: 'timestamp_unreadable',
    detail: `The timestamp is ${quote(value)}, which is neither ISO 8601 with a time zone nor seconds or milliseconds since 1970.`,
    remedy: 'Pass the timestamp header as it arrived, such as 2026-11-20T23:06:00Z or 1795215960.',
  };
}

export function timestampTooOld(timestampMs: number, now: number, toleranceMs: number): Refusal {
  const ageMs = now - timestampMs;
  return {
    reason: 'timestamp_too_old',
    detail: `The signature is valid, but it was made at ${toIso(timestampMs)}, ${formatDuration(ageMs)} before ${toIso(now)}. This exceeds the tolerance of ${formatDuration(toleranceMs)} by ${formatDuration(ageMs - toleranceMs)}.`,
    remedy:
      'Reject the delivery as a possible replay. If it is genuine, check the clock of this machine, and check that no queue delays the verification.',
  };
}

export function timestampInFuture(timestampMs: number, now: number, toleranceMs: number): Refusal {
  const aheadMs = timestampMs - now;
  return {
    reason: 'timestamp_in_future',
    detail: `The signature is valid, but its timestamp ${toIso(timestampMs)} is ${formatDuration(aheadMs)} after ${toIso(now)}. This exceeds the tolerance of ${formatDuration(toleranceMs)} by ${formatDuration(aheadMs - toleranceMs)}.`,
    remedy: 'Reject the delivery, and check the clocks of this machine and the sender.',
  };
}

function toIso(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** Quotes text from outside for a message: limits its length, and escapes quotes and line breaks. */
export function quote(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED_CHARS ? `${text.slice(0, MAX_QUOTED_CHARS)}…` : text);
}

function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

export function otherScheme(scheme: SignatureScheme, other: SignatureScheme): Refusal {
  return {
    reason: 'other_scheme',
    detail: `The signature is valid for the scheme ${other.name}, but it was verified as ${scheme.name}.`,
    remedy: `Verify with the scheme ${other.name}, or configure the sender to sign with ${scheme.name}.`,
  };
}

export function otherSchemeHeader(scheme: SignatureScheme, other: SignatureScheme): Refusal {
  return {
    reason: 'other_scheme',
    detail: `The request has the header ${other.headers.signature} of the scheme ${other.name}, but no ${scheme.headers.signature}.`,
    remedy: `Verify with the scheme ${other.name}, or configure the sender to sign with ${scheme.name}.`,
  };
}

export function apiKeyAsSecret(prefix: string): Refusal {
  return {
    reason: 'api_key_as_secret',
    detail: `The secret starts with ${prefix}, so it is an API key. Deliveries are signed with the endpoint secret.`,
    remedy: 'Verify with the current secret of the endpoint (whsec_…), not with the API key.',
  };
}

/** @param matchingSecret its description, such as `the secret of wh_…` */
export function wrongSecret(matchingSecret: string): Refusal {
  return {
    reason: 'wrong_secret',
    detail: `The signature does not match the given secret, but it matches ${matchingSecret}.`,
    remedy: 'Correct the secret in the configuration of the receiver.',
  };
}

/** For a body that is known to be unchanged. A wrong secret is the most likely cause. */
export const wrongSecretOrHeader: Refusal = {
  reason: 'wrong_secret',
  detail:
    'The signature does not match the given secret, and the body is unchanged: the signature was made with another secret or for other headers, or is forged.',
  remedy:
    'Reject the delivery. If it is genuine, correct the secret in the configuration of the receiver, or pass the headers as they arrived.',
};

export function timestampChanged(received: string, signed: string): Refusal {
  return {
    reason: 'timestamp_changed',
    detail: `The signature is valid for the timestamp ${signed}, but the given timestamp is ${quote(received)}.`,
    remedy: 'Pass the timestamp header as it arrived. Converting it changes the signed string.',
  };
}

export function bodyChanged(change: string, signedBytes: number, receivedBytes: number): Refusal {
  return {
    reason: 'body_changed',
    detail: `The body was changed after signing: ${change} (${formatCount(signedBytes, 'byte')} signed, ${receivedBytes} given).`,
    remedy: PASS_RAW_BODY,
  };
}

export function bodyDecompressed(encoding: string): Refusal {
  return {
    reason: 'body_changed',
    detail: `The signature does not match, and the body was decompressed after it arrived: Content-Encoding is ${quote(encoding)}, but the given body is not compressed.`,
    remedy: 'Verify the bytes as they arrived, before the framework or a proxy decompresses them.',
  };
}

export const bodyCompressed: Refusal = {
  reason: 'body_changed',
  detail:
    'The signature does not match, and the given body is compressed with gzip: it was compressed after signing.',
  remedy: 'Turn off compression between sender and receiver, or decompress the body before verifying.',
};

export const bodyStringified: Refusal = {
  reason: 'body_changed',
  detail:
    'The given body is the text [object Object]: the body was parsed, and the object was converted to text.',
  remedy: PASS_RAW_BODY,
};

export const bodyMisread: Refusal = {
  reason: 'body_changed',
  detail:
    'The signature does not match, and the given body contains U+FFFD: bytes were lost when it was decoded as text.',
  remedy: PASS_RAW_BODY,
};

export function signatureMismatch(secretCount: number, receivedBytes: number): Refusal {
  const secrets =
    secretCount === 1
      ? 'the given secret and body'
      : `any of the ${secretCount} given secrets with the given body`;
  return {
    reason: 'signature_mismatch',
    detail: `The signature does not match ${secrets} (${formatCount(receivedBytes, 'byte')}): either the secret is wrong, or the body was changed after signing.`,
    remedy:
      receivedBytes === 0
        ? 'Read the raw request body before anything else consumes it: the given body is empty.'
        : 'Compare the secret with the endpoint secret first. If they are the same, make sure that you verify the raw request body.',
  };
}

/** What the operator of a receiver does if it reports a reason without details. */
export const receiverRemedies: Readonly<Partial<Record<RefusalReason, string>>> = {
  secret_missing: secretMissing.remedy,
  payload_unreadable: PASS_RAW_BODY,
  api_key_as_secret: apiKeyAsSecret('').remedy,
  wrong_secret: wrongSecret('').remedy,
  timestamp_changed: timestampChanged('', '').remedy,
  body_changed: PASS_RAW_BODY,
  signature_mismatch: signatureMismatch(1, 1).remedy,
  timestamp_too_old: timestampTooOld(0, 0, 0).remedy,
  timestamp_in_future: timestampInFuture(0, 0, 0).remedy,
};
