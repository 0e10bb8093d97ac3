/** Recognizes why the signature of a delivery does not match: what was changed after signing, or how it was signed. */
import { timingSafeEqual } from 'node:crypto';
import { getApiKeyEnvironment, keyPrefixes } from '../domain/credentials.ts';
import { formatCount } from '../domain/message-parts.ts';
import { describeDifference, MAX_RECEIVED_BYTES, nameChange } from './body-changes.ts';
import { findMistakes, joinRemedies } from './find-mistakes.ts';
import { getTimestampHeader, listMistakes, type Mistake, USE_ENDPOINT_SECRET } from './mistakes.ts';
import { COMPARE_SECRET, quote, type Refusal, USE_RAW_BODY } from './refusals.ts';
import { hasTimestamp } from './schemes.ts';
import type { SignableMessage } from './sign.ts';
import type { ParsedVerifyInput } from './verify-input.ts';

/** Bytes that are hashed for pairs of mistakes. */
const MAX_HASHED_BYTES = 4 * 1024 * 1024;
/** The mistakes that are tried with a large body. */
const likelyParts: readonly Mistake['part'][] = ['secret', 'timestamp', 'body'];

/** Why a signature does not match, as precisely as possible. @param digests those of the signature header */
export function recognizeMismatch(
  input: ParsedVerifyInput,
  message: SignableMessage,
  digests: readonly string[],
): Refusal {
  return (
    recognizeApiKey(input) ??
    recognizeMistakes(input, message, digests) ??
    recognizeBody(input) ??
    describeMismatch(input)
  );
}

function recognizeApiKey({ secrets }: ParsedVerifyInput): Refusal | null {
  const environment = secrets.map(getApiKeyEnvironment).find((candidate) => candidate !== null);
  if (environment == null) return null;
  return {
    reason: 'api_key_as_secret',
    detail: `The secret starts with ${keyPrefixes[environment]}, so it is an API key. Deliveries are signed with the endpoint secret.`,
    remedy: USE_ENDPOINT_SECRET,
  };
}

/** Finds one or two values that were changed after signing, or mistakes with which the delivery was signed. */
function recognizeMistakes(
  { scheme, secrets, payload, otherSecrets, sentBody }: ParsedVerifyInput,
  message: SignableMessage,
  digests: readonly string[],
): Refusal | null {
  const given = digests.map((digest) => Buffer.from(digest, scheme.encoding));
  const isGiven = (digest: Buffer) =>
    given.some((candidate) => candidate.length === digest.length && timingSafeEqual(candidate, digest)) ||
    null;
  const received = { scheme, secrets, message, otherSecrets, otherBody: sentBody, isReceived: true };
  const bytes = Buffer.byteLength(payload);
  const candidates = listMistakes(received).filter(
    ({ part }) => bytes <= MAX_RECEIVED_BYTES || likelyParts.includes(part),
  );
  const mistakes = findMistakes(received, isGiven, MAX_HASHED_BYTES, candidates)?.mistakes ?? [];
  const [first, second] = mistakes;
  if (first === undefined) return null;
  const signedBody = second === undefined ? first.change.body : undefined;
  const isChanged =
    signedBody !== undefined && (signedBody === sentBody || nameChange(signedBody, payload) !== null);
  return {
    reason: first.reason as Refusal['reason'],
    detail: isChanged
      ? `The body was changed after signing: ${describeDifference(signedBody, payload)} (${formatCount(Buffer.byteLength(signedBody), 'byte')} signed, ${bytes} given).`
      : `The signature does not match. It would match if ${mistakes.map(({ description }) => description).join(' and ')}.`,
    remedy: joinRemedies(mistakes),
  };
}

/** The first two bytes of gzip (RFC 1952), read as Latin-1. */
const GZIP = /^\x1f\x8b/;
const JSON_START = /^\s*[[{"]/;

/** Recognizes a changed body by what it contains. */
function recognizeBody({ payload, sentBody, contentEncoding }: ParsedVerifyInput): Refusal | null {
  const bytes = Buffer.from(payload).toString('latin1');
  const isEncoded = contentEncoding !== '' && contentEncoding !== 'identity';
  const signs: readonly (readonly [isShown: boolean, detail: string, remedy?: string])[] = [
    [
      payload === '[object Object]',
      'The given body is the text [object Object]: the body was parsed, and the object was converted to text.',
    ],
    [
      isEncoded && JSON_START.test(bytes),
      `The signature does not match, and the body was decompressed after it arrived: Content-Encoding is ${quote(contentEncoding)}, but the given body is not compressed.`,
      'Use the bytes as they arrived, before the framework or a proxy decompresses them.',
    ],
    [
      !isEncoded && GZIP.test(bytes),
      'The signature does not match, and the given body is compressed with gzip: it was compressed after signing.',
      'Turn off compression between sender and receiver, or decompress the body before verifying.',
    ],
    [
      typeof payload === 'string' && payload.includes('\uFFFD'),
      'The signature does not match, and the given body contains U+FFFD: bytes were lost when it was decoded as text.',
    ],
  ];
  const [, detail, remedy = USE_RAW_BODY] = signs.find(([isShown]) => isShown) ?? [];
  if (detail !== undefined) return { reason: 'body_changed', detail, remedy };
  if (sentBody === null || !Buffer.from(sentBody).equals(Buffer.from(payload))) return null;
  return {
    reason: 'wrong_secret',
    detail:
      'The signature does not match the given secret, and the body is unchanged: the signature was made with another secret or for other headers, or is forged.',
    remedy:
      'Reject the delivery. If it is genuine, correct the secret in the configuration of the receiver, or pass the headers as they arrived.',
  };
}

function describeMismatch({ secrets: { length }, payload, scheme }: ParsedVerifyInput): Refusal {
  const secrets =
    length === 1 ? 'the given secret and body' : `any of the ${length} given secrets with the given body`;
  const bytes = formatCount(Buffer.byteLength(payload), 'byte');
  const signed = [
    'the body',
    ...(hasTimestamp(scheme) ? [`the timestamp in ${getTimestampHeader(scheme)}`] : []),
    ...(scheme.content.includes('{id}') && scheme.headers.id !== null ? [scheme.headers.id] : []),
  ];
  return {
    reason: 'signature_mismatch',
    detail: `The signature does not match ${secrets} (${bytes}): the secret is wrong, or ${signed.join(' or ')} was changed after signing.`,
    remedy:
      payload.length > 0
        ? COMPARE_SECRET
        : 'Read the raw request body before anything else consumes it: the given body is empty.',
  };
}
