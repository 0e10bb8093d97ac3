/** Finds out why a signature does not match, by trying common mistakes until one matches. */

import { type BodyVariant, bodyVariants, describeDifference } from './body-variants.ts';
import { isUsableSecret, matchesAnyDigest, type SignedMessage } from './digest.ts';
import * as explain from './mismatch-refusals.ts';
import type { Refusal } from './refusals.ts';
import { schemes } from './schemes.ts';
import { parseSignatureHeader } from './signature-header.ts';
import { formatTimestamp, parseTimestamp } from './timestamp.ts';
import type { ParsedVerifyInput } from './verify-input.ts';

/** Limits the work that a forged delivery with a large body can cause. */
const MAX_RESTORED_BYTES = 64 * 1024;
const API_KEY_PREFIX = /^svc_(?:test|live)_/;
const SECRET_PREFIX = 'whsec_';

/** Why none of `digests` matches the message, as precisely as possible. */
export function diagnoseMismatch(
  parsedVerifyInput: ParsedVerifyInput,
  message: SignedMessage,
  digests: readonly string[],
): Refusal {
  const bytes = Buffer.byteLength(message.body);
  return (
    findOtherScheme(parsedVerifyInput) ??
    findWrongSecret(parsedVerifyInput, message, digests) ??
    findTimestampChange(parsedVerifyInput, message, digests) ??
    findBodyChange(parsedVerifyInput, message, digests) ??
    findKnownMistake(parsedVerifyInput) ??
    (isUnchanged(parsedVerifyInput)
      ? explain.unknownSecret()
      : explain.signatureMismatch(parsedVerifyInput.secrets.length, bytes))
  );
}

/** Whether the signature is valid in another scheme: a built-in one, or one that the caller passed. */
export function findOtherScheme(parsedVerifyInput: ParsedVerifyInput): Refusal | null {
  for (const other of [...Object.values(schemes), ...parsedVerifyInput.otherSchemes]) {
    if (other === parsedVerifyInput.scheme) continue;
    const header = parseSignatureHeader(other, parsedVerifyInput.signature);
    if (header.digests.length === 0) continue;
    const message = {
      id: parsedVerifyInput.id,
      timestamp: header.timestamp ?? parsedVerifyInput.timestamp,
      body: parsedVerifyInput.payload,
    };
    const isRight = parsedVerifyInput.secrets
      .filter((secret) => isUsableSecret(other, secret))
      .some((secret) => matchesAnyDigest(other, secret, message, header.digests));
    if (isRight) return explain.otherScheme(parsedVerifyInput.scheme, other);
  }
  return null;
}

function findWrongSecret(
  { scheme, secrets, otherSecrets }: ParsedVerifyInput,
  message: SignedMessage,
  digests: readonly string[],
): Refusal | null {
  const apiKey = secrets.map((secret) => API_KEY_PREFIX.exec(secret)?.[0]).find((prefix) => prefix);
  if (apiKey !== undefined) return explain.apiKeyAsSecret(apiKey);
  const candidates = [...secrets.flatMap(secretVariants), ...otherSecrets];
  const right = candidates.find(
    ({ secret }) => isUsableSecret(scheme, secret) && matchesAnyDigest(scheme, secret, message, digests),
  );
  return right === undefined ? null : explain.wrongSecret(right.name);
}

/** Corrections of common copy errors. */
function secretVariants(secret: string): ParsedVerifyInput['otherSecrets'] {
  const bare = secret.trim().replace(/^(["'])(.*)\1$/s, '$2');
  return [
    { name: 'the same secret without the whitespace or quotes around it', secret: bare },
    { name: `the same secret with the prefix ${SECRET_PREFIX}`, secret: SECRET_PREFIX + bare },
    { name: `the same secret without the prefix ${SECRET_PREFIX}`, secret: bare.replace(SECRET_PREFIX, '') },
  ];
}

function findTimestampChange(
  { scheme, secrets }: ParsedVerifyInput,
  message: SignedMessage,
  digests: readonly string[],
): Refusal | null {
  const at = parseTimestamp(message.timestamp);
  if (at === null || !scheme.content.includes('{timestamp}')) return null;
  const forms = [
    formatTimestamp('iso8601', at),
    new Date(at).toISOString(),
    formatTimestamp('unix', at),
    formatTimestamp('unix_ms', at),
  ];
  const signed = forms.find((timestamp) =>
    secrets.some((secret) => matchesAnyDigest(scheme, secret, { ...message, timestamp }, digests)),
  );
  return signed === undefined ? null : explain.timestampChanged(message.timestamp, signed);
}

function findBodyChange(
  { scheme, secrets, sentBody }: ParsedVerifyInput,
  message: SignedMessage,
  digests: readonly string[],
): Refusal | null {
  for (const { change, body } of bodyCandidates(message.body, sentBody)) {
    if (secrets.some((secret) => matchesAnyDigest(scheme, secret, { ...message, body }, digests))) {
      return explain.bodyChanged(change, Buffer.byteLength(body), Buffer.byteLength(message.body));
    }
  }
  return null;
}

function* bodyCandidates(
  given: ParsedVerifyInput['payload'],
  sent: ParsedVerifyInput['sentBody'],
): Generator<BodyVariant> {
  if (Buffer.byteLength(given) <= MAX_RESTORED_BYTES) yield* bodyVariants(given);
  if (sent !== null) yield { change: describeDifference(sent, given), body: sent };
}

/** Whether the body is known to be the one that was sent. */
function isUnchanged({ payload, sentBody }: ParsedVerifyInput): boolean {
  return sentBody !== null && Buffer.from(sentBody).equals(Buffer.from(payload));
}

const GZIP = /^\x1f\x8b/;
const JSON_BEGINNING = /^\s*[[{"]/;

/** Recognizes changes of a body without knowing the original. */
function findKnownMistake({ payload, contentEncoding }: ParsedVerifyInput): Refusal | null {
  const beginning = Buffer.from(payload.slice(0, 64)).toString('latin1');
  if (payload === '[object Object]') return explain.bodyStringified();
  const isEncoded = contentEncoding !== '' && contentEncoding !== 'identity';
  if (isEncoded && JSON_BEGINNING.test(beginning)) return explain.bodyDecompressed(contentEncoding);
  if (!isEncoded && GZIP.test(beginning)) return explain.bodyCompressed();
  return typeof payload === 'string' && payload.includes('\uFFFD') ? explain.bodyMisread() : null;
}
