/** Recognizes why the signature of a delivery does not match: what was changed after signing, or how it was signed. */
import { timingSafeEqual } from 'node:crypto';
import { getApiKeyEnvironment, keyPrefixes } from '../credentials.ts';
import { formatCount } from '../message-parts.ts';
import { describeChange, listOriginalBodies } from './body-changes.ts';
import {
  BYTES_PER_DIGEST,
  findMistakes,
  findRemedy,
  getTimestampHeader,
  type Mistake,
  type SignatureChange,
} from './mistakes.ts';
import { COMPARE_SECRET, quote, type Refusal, USE_RAW_BODY } from './refusals.ts';
import { hasTimestamp } from './schemes.ts';
import { isSignedWithAny, type SignableMessage } from './sign.ts';
import { listTimestampForms } from './timestamp-forms.ts';
import type { ParsedVerifyInput } from './verify-input.ts';
import { listCorrectedSecrets } from './wrong-secrets.ts';

/** Bodies up to this size are changed, because the sender of a forged delivery must not cause much work. */
export const MAX_CHANGED_BYTES = 64 * 1024;
/** Bytes that are hashed for pairs of changes, and for pairs of mistakes. */
const MAX_HASHED_BYTES = 4 * 1024 * 1024;

/** A value that may have been sent, instead of the one that was given. */
interface Correction {
  readonly part: Mistake['part'];
  readonly reason: Refusal['reason'];
  /** What was found, as a sentence. */
  readonly detail: string;
  readonly change: SignatureChange;
}

/** Why a signature does not match, as precisely as possible. @param digests those of the signature header */
export function recognizeMismatch(
  input: ParsedVerifyInput,
  message: SignableMessage,
  digests: readonly string[],
): Refusal {
  return (
    recognizeApiKey(input) ??
    recognizeCorrection(input, message, digests) ??
    recognizeMistake(input, message, digests) ??
    recognizeBody(input) ??
    describeMismatch(input)
  );
}

function recognizeApiKey({ secrets, scheme }: ParsedVerifyInput): Refusal | null {
  const environment = secrets.map(getApiKeyEnvironment).find((candidate) => candidate !== null);
  if (environment == null) return null;
  return {
    reason: 'api_key_as_secret',
    detail: `The secret starts with ${keyPrefixes[environment]}, so it is an API key. Deliveries are signed with the endpoint secret.`,
    remedy: findRemedy('api_key_as_secret', scheme) ?? '',
  };
}

/** Finds one or two values that were changed after signing. */
function recognizeCorrection(
  input: ParsedVerifyInput,
  message: SignableMessage,
  digests: readonly string[],
): Refusal | null {
  const { scheme, secrets } = input;
  const corrections = listCorrections(input, message);
  const isSignedWith = (...changes: readonly SignatureChange[]) => {
    const secret = changes.find((change) => change.secret !== undefined)?.secret;
    const changed: SignableMessage = Object.assign({}, message, ...changes.map((change) => change.message));
    return isSignedWithAny(scheme, secret === undefined ? secrets : [secret], changed, digests);
  };
  const toRefusal = (...found: readonly Correction[]): Refusal => ({
    reason: found[0]?.reason ?? 'signature_mismatch',
    detail: found.map(({ detail }) => detail).join(' '),
    remedy: [...new Set(found.map(({ reason }) => findRemedy(reason, scheme) ?? ''))].join(' '),
  });
  const single = corrections.find(({ change }) => isSignedWith(change));
  if (single !== undefined) return toRefusal(single);
  let left = MAX_HASHED_BYTES;
  for (const [index, first] of corrections.entries()) {
    for (const second of corrections.slice(index + 1)) {
      if (first.part === second.part) continue;
      left -= Buffer.byteLength(message.body) + BYTES_PER_DIGEST;
      if (left < 0) return null;
      if (isSignedWith(first.change, second.change)) return toRefusal(first, second);
    }
  }
  return null;
}

/** The more likely ones first. */
function listCorrections(input: ParsedVerifyInput, message: SignableMessage): Correction[] {
  const { secrets, otherSecrets, payload } = input;
  const bytes = Buffer.byteLength(payload);
  return [
    ...[...secrets.flatMap(listCorrectedSecrets), ...otherSecrets].map(
      ({ name, secret }): Correction => ({
        ...{ part: 'secret', reason: 'wrong_secret', change: { secret } },
        detail: `The signature does not match the given secret, but it matches ${name}.`,
      }),
    ),
    ...listTimestampForms(message.timestamp).map(
      ({ timestamp }): Correction => ({
        ...{ part: 'timestamp', reason: 'timestamp_changed', change: { message: { timestamp } } },
        detail: `The signature is valid for the timestamp ${timestamp}, but the given timestamp is ${quote(message.timestamp)}.`,
      }),
    ),
    ...Array.from(listSentBodies(input), ({ description, body }): Correction => {
      const signedBytes = formatCount(Buffer.byteLength(body), 'byte');
      return {
        ...{ part: 'body', reason: 'body_changed', change: { message: { body } } },
        detail: `The body was changed after signing: ${description} (${signedBytes} signed, ${bytes} given).`,
      };
    }),
  ];
}

/** Lists bodies that may have been sent, with the change that led to the received body. */
function* listSentBodies({ payload, sentBody }: ParsedVerifyInput) {
  if (sentBody !== null) yield { description: describeChange(sentBody, payload), body: sentBody };
  if (Buffer.byteLength(payload) <= MAX_CHANGED_BYTES) yield* listOriginalBodies(payload);
}

/** Finds the mistakes with which the delivery was signed. */
function recognizeMistake(
  { scheme, secrets, payload }: ParsedVerifyInput,
  message: SignableMessage,
  digests: readonly string[],
): Refusal | null {
  if (Buffer.byteLength(payload) > MAX_CHANGED_BYTES) return null;
  const given = digests.map((digest) => Buffer.from(digest, scheme.encoding));
  const isGiven = (digest: Buffer) =>
    given.some((candidate) => candidate.length === digest.length && timingSafeEqual(candidate, digest)) ||
    null;
  const input = { scheme, secrets, message, otherSecrets: [], isReceived: true };
  const found = findMistakes(input, isGiven, MAX_HASHED_BYTES);
  if (found === null) return null;
  const { mistakes } = found;
  return {
    reason: (mistakes[0]?.reason ?? 'signature_mismatch') as Refusal['reason'],
    detail: `The signature does not match. It would match if ${mistakes.map(({ description }) => description).join(' and ')}.`,
    remedy: [...new Set(mistakes.map(({ remedy }) => remedy))].join(' '),
  };
}

/** The first two bytes of gzip (RFC 1952), read as Latin-1. */
const GZIP = /^\x1f\x8b/;
const JSON_START = /^\s*[[{"]/;

/** Recognizes a changed body by what it contains. */
function recognizeBody({ payload, sentBody, contentEncoding }: ParsedVerifyInput): Refusal | null {
  const bodyChanged = (detail: string, remedy = USE_RAW_BODY): Refusal => ({
    ...{ reason: 'body_changed', detail, remedy },
  });
  if (payload === '[object Object]') {
    return bodyChanged(
      'The given body is the text [object Object]: the body was parsed, and the object was converted to text.',
    );
  }
  const bytes = Buffer.from(payload).toString('latin1');
  const isEncoded = contentEncoding !== '' && contentEncoding !== 'identity';
  if (isEncoded && JSON_START.test(bytes)) {
    return bodyChanged(
      `The signature does not match, and the body was decompressed after it arrived: Content-Encoding is ${quote(contentEncoding)}, but the given body is not compressed.`,
      'Use the bytes as they arrived, before the framework or a proxy decompresses them.',
    );
  }
  if (!isEncoded && GZIP.test(bytes)) {
    return bodyChanged(
      'The signature does not match, and the given body is compressed with gzip: it was compressed after signing.',
      'Turn off compression between sender and receiver, or decompress the body before verifying.',
    );
  }
  if (typeof payload === 'string' && payload.includes('\uFFFD')) {
    return bodyChanged(
      'The signature does not match, and the given body contains U+FFFD: bytes were lost when it was decoded as text.',
    );
  }
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
