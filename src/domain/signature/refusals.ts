/**
 * The words for every way in which verification can fail: a reason out of a closed set, one sentence with the figures,
 * and one sentence on what to do. No message carries a secret or the signature that would have been right. Those for
 * a signature that does not fit are in `explain-mismatch.ts`.
 */
import { formatDuration } from '../duration.ts';
import type { SignatureScheme } from './scheme.ts';
import type { SchemeProblem } from './scheme-check.ts';
import { describeHeaderFormat, schemeVersion } from './signature-header.ts';

/**
 * Why a delivery is refused.
 * - `option_invalid`, `secret_missing`, `payload_unreadable`: verification was asked for in a way that cannot work.
 * - `header_missing`, `header_malformed`, `version_unknown`, `timestamp_unreadable`: the headers cannot be read.
 * - `other_scheme`, `api_key_as_secret`, `wrong_secret`, `timestamp_changed`, `body_changed`: the signature does not
 *   fit, and it was found out why.
 * - `signature_mismatch`: the signature does not fit; wrong secret or changed body, nothing tells which.
 * - `timestamp_too_old`, `timestamp_in_future`: the signature fits, the time does not.
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
/** What is wrong with a digest that a receiver computed, beside some of the reasons above. */
export const digestMistakes = [
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
const QUOTED_CHARS = 80;

export function optionInvalid(option: string, expected: string): Refusal {
  return {
    reason: 'option_invalid',
    detail: `The option ${option} is not ${expected}.`,
    remedy: `Pass ${expected} as ${option}, or leave it out for the default.`,
  };
}

export function schemeInvalid({ path, expected }: SchemeProblem): Refusal {
  return {
    reason: 'option_invalid',
    detail: `The member ${path} of the scheme is not ${expected}.`,
    remedy: 'Correct the scheme, or pass the name of a built-in one.',
  };
}

/** Reading the input threw: a getter or a proxy of the caller's. */
export function inputUnreadable(fault: unknown): Refusal {
  return {
    reason: 'option_invalid',
    detail: `The input cannot be read: ${quote(fault instanceof Error ? fault.message : describe(fault))}.`,
    remedy: 'Pass plain values: the raw body, the headers as text and the secret.',
  };
}

export function secretMissing(): Refusal {
  return {
    reason: 'secret_missing',
    detail: 'There is no secret to verify with: it is absent, empty or has no key in it.',
    remedy:
      'Pass the secret that was shown when the endpoint was created; an unset environment variable is the usual cause.',
  };
}

export function payloadUnreadable(payload: unknown): Refusal {
  return {
    reason: 'payload_unreadable',
    detail: `The payload is ${describe(payload)}, not the text or the bytes of the request body.`,
    remedy: PASS_RAW_BODY,
  };
}

export function headerMissing(scheme: SignatureScheme, header: string): Refusal {
  return {
    reason: 'header_missing',
    detail: `The header ${header} is missing or empty; the scheme ${scheme.name} needs it.`,
    remedy: `Pass on the value of ${header}, and check that no proxy on the way removes it.`,
  };
}

export function headerNotText(header: string, value: unknown): Refusal {
  return {
    reason: 'header_malformed',
    detail: `The value of ${header} is ${describe(value)}, not text.`,
    remedy: `Pass the value of ${header} as one string, as it arrived.`,
  };
}

export function headerMalformed(scheme: SignatureScheme, value: string): Refusal {
  return {
    reason: 'header_malformed',
    detail: `${scheme.headers.signature} is ${quote(value)}, ${value.length} characters that do not read ${describeHeaderFormat(scheme)}.`,
    remedy: `Pass the whole value of ${scheme.headers.signature} as it arrived, neither cut nor converted.`,
  };
}

export function versionUnknown(scheme: SignatureScheme, versions: readonly string[]): Refusal {
  return {
    reason: 'version_unknown',
    detail: `${scheme.headers.signature} carries ${versions.slice(0, 5).join(', ')}, but the scheme ${scheme.name} reads ${schemeVersion(scheme)}.`,
    remedy:
      'Verify with the scheme that the sender uses, or update this verifier to one that knows the version.',
  };
}

export function timestampUnreadable(value: string): Refusal {
  return {
    reason: 'timestamp_unreadable',
    detail: `The timestamp is ${quote(value)}, neither ISO 8601 with a zone nor seconds or milliseconds since 1970.`,
    remedy: 'Pass the timestamp header as it arrived, such as 2026-11-20T23:06:00Z or 1795215960.',
  };
}

export function timestampTooOld(at: number, now: number, toleranceMs: number): Refusal {
  const age = now - at;
  return {
    reason: 'timestamp_too_old',
    detail: `The signature fits, but it was made at ${toIso(at)}, ${formatDuration(age)} before ${toIso(now)}: ${formatDuration(age - toleranceMs)} past the tolerance of ${formatDuration(toleranceMs)}.`,
    remedy:
      'Refuse it as a possible replay; if it is genuine, look for a wrong clock on this machine or for a queue in front of the verification.',
  };
}

export function timestampInFuture(at: number, now: number, toleranceMs: number): Refusal {
  const ahead = at - now;
  return {
    reason: 'timestamp_in_future',
    detail: `The signature fits, but it is dated ${toIso(at)}, ${formatDuration(ahead)} after ${toIso(now)}: ${formatDuration(ahead - toleranceMs)} past the tolerance of ${formatDuration(toleranceMs)}.`,
    remedy: 'Refuse it, and check the clocks of this machine and of the sender.',
  };
}

/** An instant within the range of `Date`, in milliseconds since 1970. */
function toIso(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** Text from outside, for a message: short, and without control characters. */
export function quote(text: string): string {
  return JSON.stringify(text.length > QUOTED_CHARS ? `${text.slice(0, QUOTED_CHARS)}…` : text);
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
