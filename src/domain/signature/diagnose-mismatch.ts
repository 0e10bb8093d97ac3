/** Finds out why a signature does not match, by trying common mistakes until one matches. */
import { getApiKeyEnvironment, keyPrefixes, SECRET_PREFIX } from '../credentials.ts';
import { type BodyVariant, describeDifference, listBodyVariants } from './body-variants.ts';
import type { Refusal } from './refusals.ts';
import * as explain from './refusals.ts';
import { schemes } from './schemes.ts';
import { isUsableSecret, matchesAnyDigest, type SignableMessage } from './sign.ts';
import {
  formatTimestamp,
  getSignedTimestamp,
  parseSignatureHeader,
  parseTimestamp,
} from './signature-header.ts';
import type { ParsedVerifyInput } from './verify-input.ts';

/** Limits the work that a forged delivery with a large body can cause. */
const MAX_VARIANTS_BYTES = 64 * 1024;

/** Why none of `digests` matches the message, as precisely as possible. */
export function diagnoseMismatch(
  input: ParsedVerifyInput,
  message: SignableMessage,
  digests: readonly string[],
): Refusal {
  const bytes = Buffer.byteLength(message.body);
  return (
    findOtherScheme(input) ??
    findWrongSecret(input, message, digests) ??
    findTimestampChange(input, message, digests) ??
    findBodyChange(input, message, digests) ??
    findKnownMistake(input) ??
    (isUnchanged(input)
      ? explain.wrongSecretOrHeader
      : explain.signatureMismatch(input.secrets.length, bytes))
  );
}

/** Whether the signature is valid in another scheme: a built-in one, or one that the caller passed. */
export function findOtherScheme(input: ParsedVerifyInput): Refusal | null {
  for (const other of [...Object.values(schemes), ...input.otherSchemes]) {
    if (other === input.scheme) continue;
    const header = parseSignatureHeader(other, input.signature);
    const timestamp = getSignedTimestamp(other, header, input.timestamp);
    const message = { id: input.id, timestamp, body: input.payload };
    const isMatch = input.secrets
      .filter((secret) => isUsableSecret(other, secret))
      .some((secret) => matchesAnyDigest(other, secret, message, header.digests));
    if (isMatch) return explain.otherScheme(input.scheme, other);
  }
  return null;
}

function findWrongSecret(
  { scheme, secrets, otherSecrets }: ParsedVerifyInput,
  message: SignableMessage,
  digests: readonly string[],
): Refusal | null {
  const environment = secrets.map(getApiKeyEnvironment).find((candidate) => candidate !== null);
  if (environment) return explain.apiKeyAsSecret(keyPrefixes[environment]);
  const candidates = [...secrets.flatMap(listSecretVariants), ...otherSecrets];
  const match = candidates.find(
    ({ secret }) => isUsableSecret(scheme, secret) && matchesAnyDigest(scheme, secret, message, digests),
  );
  return match === undefined ? null : explain.wrongSecret(match.name);
}

/** Corrections of common copy errors. */
function listSecretVariants(secret: string): ParsedVerifyInput['otherSecrets'] {
  const unquoted = secret.trim().replace(/^(["'])(.*)\1$/s, '$2');
  return [
    { name: 'the same secret without the whitespace or quotes around it', secret: unquoted },
    { name: `the same secret with the prefix ${SECRET_PREFIX}`, secret: SECRET_PREFIX + unquoted },
    {
      name: `the same secret without the prefix ${SECRET_PREFIX}`,
      secret: unquoted.replace(SECRET_PREFIX, ''),
    },
  ];
}

function findTimestampChange(
  { scheme, secrets }: ParsedVerifyInput,
  message: SignableMessage,
  digests: readonly string[],
): Refusal | null {
  const timestampMs = parseTimestamp(message.timestamp);
  if (timestampMs === null) return null;
  const forms = [
    formatTimestamp('iso8601', timestampMs),
    new Date(timestampMs).toISOString(),
    formatTimestamp('unix', timestampMs),
    formatTimestamp('unix_ms', timestampMs),
  ];
  const signed = forms.find((timestamp) =>
    secrets.some((secret) => matchesAnyDigest(scheme, secret, { ...message, timestamp }, digests)),
  );
  return signed === undefined ? null : explain.timestampChanged(message.timestamp, signed);
}

function findBodyChange(
  { scheme, secrets, sentBody }: ParsedVerifyInput,
  message: SignableMessage,
  digests: readonly string[],
): Refusal | null {
  for (const { change, body } of listSentBodies(message.body, sentBody)) {
    if (secrets.some((secret) => matchesAnyDigest(scheme, secret, { ...message, body }, digests))) {
      return explain.bodyChanged(change, Buffer.byteLength(body), Buffer.byteLength(message.body));
    }
  }
  return null;
}

/** Lists bodies that may have been sent, with the change that led to the received body. */
function* listSentBodies(
  received: ParsedVerifyInput['payload'],
  sent: ParsedVerifyInput['sentBody'],
): Generator<BodyVariant> {
  if (Buffer.byteLength(received) <= MAX_VARIANTS_BYTES) yield* listBodyVariants(received);
  if (sent !== null) yield { change: describeDifference(sent, received), body: sent };
}

/** Whether the body is known to be the one that was sent. */
function isUnchanged({ payload, sentBody }: ParsedVerifyInput): boolean {
  return sentBody !== null && Buffer.from(sentBody).equals(Buffer.from(payload));
}

/** The first two bytes of gzip (RFC 1952), read as Latin-1. */
const GZIP = /^\x1f\x8b/;
const JSON_START = /^\s*[[{"]/;

/** Recognizes changes of a body without knowing the original. */
function findKnownMistake({ payload, contentEncoding }: ParsedVerifyInput): Refusal | null {
  const text = Buffer.from(payload).toString('latin1');
  if (payload === '[object Object]') return explain.bodyStringified;
  const isEncoded = contentEncoding !== '' && contentEncoding !== 'identity';
  if (isEncoded && JSON_START.test(text)) return explain.bodyDecompressed(contentEncoding);
  if (!isEncoded && GZIP.test(text)) return explain.bodyCompressed;
  return typeof payload === 'string' && payload.includes('\uFFFD') ? explain.bodyMisread : null;
}
