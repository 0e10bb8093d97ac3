/**
 * The reasons for which verification fails, and the refusals of input, headers and timestamps. `recognize-mismatch.ts` has those of
 * a signature that does not match. No message contains a secret, or a signature that was not received.
 */

import { formatDuration } from '../domain/duration.ts';
import { formatCount } from '../domain/message-parts.ts';
import type { SignatureScheme } from './scheme.ts';
import type { SchemeProblem } from './schemes.ts';
import { describeHeaderFormat, getSchemeVersion } from './signature-header.ts';

/**
 * Why a delivery is rejected.
 * - `option_invalid`, `secret_missing`, `payload_unreadable`: the input of the verification is invalid.
 * - `header_missing`, `header_malformed`, `version_unknown`, `timestamp_unreadable`: the headers cannot be read.
 * - `other_scheme`: the headers or the signature belong to another scheme.
 * - `api_key_as_secret`, `wrong_secret`, `timestamp_changed`, `body_changed`, `content_changed`, `key_changed`,
 *   `algorithm_changed`: the signature does not match, and the cause is known or likely.
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
  'content_changed',
  'key_changed',
  'algorithm_changed',
  'signature_mismatch',
  'timestamp_too_old',
  'timestamp_in_future',
] as const;
/** Additional reasons, for mistakes that only the digest or the responses of a receiver show. */
export const receiverReasons = [
  'digest_malformed',
  'encoding_changed',
  'header_not_split',
  'timestamp_misread',
] as const;

export type RefusalReason = (typeof refusalReasons)[number];
export type MistakeReason = RefusalReason | (typeof receiverReasons)[number];

export interface Refusal {
  readonly reason: RefusalReason;
  readonly detail: string;
  readonly remedy: string;
}

export const USE_RAW_BODY =
  'Use all bytes of the request body as they arrived. Do not decode, parse or format them first.';
export const COMPARE_SECRET =
  'Compare the secret with the endpoint secret first. If they are the same, make sure that you verify the raw request body and the headers as they arrived.';
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
    remedy: USE_RAW_BODY,
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

/** @param ageMs of the timestamp; negative if it is in the future */
export function timestampOutOfTolerance(ageMs: number, now: number, toleranceMs: number): Refusal {
  const distanceMs = Math.abs(ageMs);
  const isOld = ageMs > 0;
  const [made, direction] = isOld ? ['it was made at', 'before'] : ['its timestamp is', 'after'];
  return {
    reason: isOld ? 'timestamp_too_old' : 'timestamp_in_future',
    detail: `The signature is valid, but ${made} ${toIso(now - ageMs)}, ${formatDuration(distanceMs)} ${direction} ${toIso(now)}. This exceeds the tolerance of ${formatDuration(toleranceMs)} by ${formatDuration(distanceMs - toleranceMs)}.`,
    remedy: isOld
      ? 'Reject the delivery as a possible replay. If it is genuine, check the clock of this machine, and check that no queue delays the verification.'
      : 'Reject the delivery, and check the clocks of this machine and the sender.',
  };
}

export function toIso(ms: number): string {
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

/** @param header the signature header of the other scheme, if only it shows the scheme */
export function otherScheme(scheme: SignatureScheme, other: SignatureScheme, header?: string): Refusal {
  return {
    reason: 'other_scheme',
    detail:
      header === undefined
        ? `The signature is valid for the scheme ${other.name}, but it was verified as ${scheme.name}.`
        : `The request has the header ${header} of the scheme ${other.name}, but no ${scheme.headers.signature}.`,
    remedy: `Verify with the scheme ${other.name}, or configure the sender to sign with ${scheme.name}.`,
  };
}
