/** Finds the mistake behind a digest that a receiver computed: tries the known mistakes until the digest matches. */
import { formatCount } from '../message-parts.ts';
import {
  arePairsTried,
  combineMistakes,
  computeHmac,
  type DigestInput,
  type DigestMistake,
  type DigestMistakeReason,
  type HmacInput,
  MAX_PAIRED_BYTES,
  toHmacInput,
} from './digest-mistakes.ts';
import type { SignatureScheme } from './scheme.ts';
import { digestBytes } from './signature-header.ts';

interface DigestDiagnosis {
  readonly ok: boolean;
  readonly reason: DigestMistakeReason | null;
  readonly detail: string;
  readonly remedy: string | null;
}

/** Fewer characters could match by chance. */
const MIN_TRUNCATED_LENGTH = 12;

/**
 * Finds up to two mistakes in the HMAC input (one for a large body), and mistakes in the prefix and the encoding, that together
 * produce the digest.
 */
export function diagnoseDigest(input: DigestInput): DigestDiagnosis {
  const { scheme, secrets } = input;
  const decodings = decodeDigest(input);
  const correctInputs: readonly HmacInput[] = secrets.map((secret) => toHmacInput(input, secret));
  for (const mistakes of combineMistakes(input)) {
    for (const hmacInput of correctInputs) {
      const digest = computeHmac(
        Object.assign({}, hmacInput, ...mistakes.map(({ changedInput }) => changedInput)),
      );
      const decoding = decodings.find(({ bytes }) => bytes.equals(digest));
      if (decoding !== undefined) {
        return describeMatch(input, [...mistakes, ...decoding.mistakes], decoding.hasPrefix);
      }
    }
  }
  const text = removePrefix(input.computedDigest.trim(), scheme);
  const isTruncated =
    text.length >= MIN_TRUNCATED_LENGTH &&
    correctInputs.some((hmacInput) => computeHmac(hmacInput).toString(scheme.encoding).startsWith(text));
  if (isTruncated || decodings.length === 0) return describeMalformed(text, isTruncated, scheme);
  return {
    ok: false,
    reason: 'signature_mismatch',
    detail: arePairsTried(input)
      ? 'No known mistake produces this digest, and no combination of two mistakes of different kinds does.'
      : `No single known mistake produces this digest. svc did not try combinations of mistakes, because the body is larger than ${MAX_PAIRED_BYTES / 1024} KiB.`,
    remedy: 'Check again with the secret and the raw body that the receiver used.',
  };
}

/** @param hasPrefix whether the computed digest has the prefix of the signature header */
function describeMatch(
  input: DigestInput,
  mistakes: readonly DigestMistake[],
  hasPrefix: boolean,
): DigestDiagnosis {
  const { scheme, sentDigests, computedDigest } = input;
  const { prefix } = scheme.header;
  const [first] = mistakes;
  if (first === undefined) {
    const header = scheme.headers.signature;
    const isSent = sentDigests.includes(removePrefix(computedDigest.trim(), scheme));
    const comparison = hasPrefix
      ? `Compare it with each signature in ${header}, in constant time.`
      : `${header} starts with ${prefix}: compare both with the prefix, or both without it.`;
    return {
      ok: true,
      reason: null,
      detail: isSent
        ? `The digest is correct. ${comparison}`
        : `The digest is correct, but the ${header} header of this attempt does not contain it: an injected fault replaced the signature, or the secret has changed since.`,
      remedy: null,
    };
  }
  const count = mistakes.length === 1 ? 'one mistake' : `${mistakes.length} mistakes`;
  return {
    ok: false,
    reason: first.reason,
    detail: `The receiver made ${count}: ${mistakes.map(({ description }) => description).join('; ')}.`,
    remedy: [...new Set(mistakes.map(({ remedy }) => remedy))].join(' '),
  };
}

function describeMalformed(
  text: string,
  isTruncated: boolean,
  { algorithm, encoding }: SignatureScheme,
): DigestDiagnosis {
  const expected = `${digestBytes[algorithm]} bytes in ${encoding}`;
  return {
    ok: false,
    reason: 'digest_malformed',
    detail: isTruncated
      ? `The digest is truncated: it contains only the first ${text.length} characters of the correct digest.`
      : `The digest is not an HMAC in hex or base64: it has ${formatCount(text.length, 'character')}.`,
    remedy: `Pass the complete digest as the receiver computed it: ${expected}.`,
  };
}

/** One way to decode the text of a digest. */
interface DecodedDigest {
  readonly bytes: Buffer;
  readonly mistakes: readonly DigestMistake[];
  readonly hasPrefix: boolean;
}

const HEX = /^(?:[0-9a-f]{2})+$/i;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
/** Common prefixes of signatures: `v1=`, `sha256=`. */
const ANY_PREFIX = /^(?:v\d\w{0,7}|sha\d{1,3})[=,]/;

/** The possible decodings of the text; none if it is not an HMAC of a known length. */
function decodeDigest({ computedDigest, scheme }: DigestInput): DecodedDigest[] {
  const trimmed = computedDigest.trim();
  const { prefix } = scheme.header;
  const hasPrefix = trimmed.startsWith(prefix);
  const [otherPrefix = ''] = hasPrefix ? [] : (ANY_PREFIX.exec(trimmed) ?? []);
  const text = trimmed.slice(hasPrefix ? prefix.length : otherPrefix.length);
  const encodingName = scheme.encoding === 'hex' ? 'lowercase hex' : 'base64';
  const prefixMistakes =
    otherPrefix === '' ? [] : [createMistake(`the prefix was ${otherPrefix} instead of ${prefix}`)];
  return listDecodings(text)
    .filter(({ bytes }) => Object.values<number>(digestBytes).includes(bytes.length))
    .map(({ bytes, name }) => {
      const isCorrectEncoding = bytes.toString(scheme.encoding) === text;
      const encodingMistakes = isCorrectEncoding
        ? []
        : [createMistake(`the digest was written in ${name} instead of ${encodingName}`)];
      return { bytes, hasPrefix, mistakes: [...prefixMistakes, ...encodingMistakes] };
    });

  function createMistake(description: string): DigestMistake {
    const remedy = `Write the signature as ${prefix} followed by the digest in ${encodingName}.`;
    return { reason: 'encoding_changed', description, remedy, changedInput: {} };
  }
}

function listDecodings(text: string): { readonly name: string; readonly bytes: Buffer }[] {
  const base64 = Buffer.from(BASE64.test(text) ? text : '', 'base64');
  const decodedText = base64.toString('latin1');
  return [
    ...(HEX.test(text)
      ? [{ name: /[A-F]/.test(text) ? 'uppercase hex' : 'hex', bytes: Buffer.from(text, 'hex') }]
      : []),
    { name: nameBase64(text), bytes: base64 },
    ...(HEX.test(decodedText)
      ? [{ name: 'hex and then encoded in base64', bytes: Buffer.from(decodedText, 'hex') }]
      : []),
  ];
}

function nameBase64(text: string): string {
  if (/[-_]/.test(text)) return 'base64url';
  return text.length % 4 === 0 ? 'base64' : 'base64 without padding';
}

function removePrefix(text: string, { header: { prefix } }: SignatureScheme): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}
