/** Finds the mistake behind a digest that a receiver computed: tries the known mistakes until the digest matches. */
import { formatCount } from '../domain/message-parts.ts';
import {
  describeCorrectForm,
  describeForm,
  describePrefix,
  digestForms,
  getDigestForm,
  isDigest,
} from './digest-forms.ts';
import { describeMistakes, findMistakes } from './find-mistakes.ts';
import type { MistakeInput } from './mistakes.ts';
import type { MistakeReason } from './refusals.ts';
import { computeDigest } from './sign.ts';
import { digestBytes } from './signature-header.ts';

export interface DigestInput extends MistakeInput {
  /** The digest as the receiver computed it, with or without the prefix of the signature header. */
  readonly computedDigest: string;
  /** Digests in the signature header of the attempt. */
  readonly sentDigests: readonly string[];
}

interface DigestDiagnosis {
  readonly ok: boolean;
  readonly reason: MistakeReason | null;
  readonly detail: string;
  readonly remedy: string | null;
}

/** Fewer characters could match by chance. */
const MIN_TRUNCATED_LENGTH = 12;

/** Bytes that are hashed for pairs of mistakes: limits the time of an explanation. */
const MAX_HASHED_BYTES = 80 * 1024 * 1024;

/** Common prefixes of signatures: `v1=`, `sha256=`. */
const ANY_PREFIX = /^(?:v\d\w{0,7}|sha\d{1,3})[=,]/;

/** Finds up to two mistakes in the digest, and mistakes in the prefix and the encoding, that together produce the digest. */
export function diagnoseDigest(input: DigestInput): DigestDiagnosis {
  const { scheme, secrets, message } = input;
  const { prefix } = scheme.header;
  const trimmed = input.computedDigest.trim();
  const hasPrefix = trimmed.startsWith(prefix);
  const [otherPrefix = ''] = hasPrefix ? [] : (ANY_PREFIX.exec(trimmed) ?? []);
  const text = trimmed.slice(hasPrefix ? prefix.length : otherPrefix.length);
  const matchForm = (digest: Buffer) =>
    digestForms.find((form) => digest.length <= text.length && form.write(digest) === text) ?? null;
  const found = canBeDigest(text, scheme) ? findMistakes(input, matchForm, MAX_HASHED_BYTES) : null;
  if (found !== null) {
    const written = [
      ...(otherPrefix === '' ? [] : [describePrefix(otherPrefix, scheme)]),
      ...(found.match === getDigestForm(scheme) ? [] : [describeForm(found.match, scheme)]),
    ].map((description) => ({
      reason: 'encoding_changed' as const,
      description,
      remedy: describeCorrectForm(scheme),
    }));
    const mistakes = [...found.mistakes, ...written];
    return mistakes.length > 0
      ? { ok: false, ...describeMistakes(mistakes, found.others) }
      : { ok: true, reason: null, detail: describeCorrect(input, text, hasPrefix), remedy: null };
  }
  const isTruncated =
    text.length >= MIN_TRUNCATED_LENGTH &&
    secrets.some((secret) => computeDigest(scheme, secret, message).startsWith(text));
  if (isTruncated || !isDigest(text)) {
    return {
      ok: false,
      reason: 'digest_malformed',
      detail: isTruncated
        ? `The digest is truncated: it contains only the first ${text.length} characters of the correct digest.`
        : `The digest is not an HMAC in hex or base64: it has ${formatCount(text.length, 'character')}.`,
      remedy: `Pass the complete digest as the receiver computed it: ${digestBytes[scheme.algorithm]} bytes in ${scheme.encoding}.`,
    };
  }
  return {
    ok: false,
    reason: 'signature_mismatch',
    detail:
      'No known mistake produces this digest, and none of the likely combinations of two mistakes does.',
    remedy: 'Check again with the secret and the raw body that the receiver used.',
  };
}

/**
 * Whether the text can be a digest in one of {@link digestForms}. Skips the slow search for mistakes, mainly for file paths on error
 * pages, which look like base64.
 */
export function canBeDigest(text: string, { algorithm }: DigestInput['scheme']): boolean {
  if (/^-?[\da-f]+$/i.test(text) || isDigest(text)) return true;
  if (!/^[\w+/=-]+$/.test(text)) return false;
  const bytes = Buffer.from(text, 'base64');
  // The digest in hex, and what Sum(content) of Go returns: the content followed by the digest.
  return [0, digestBytes[algorithm]].some(
    (size) => bytes.length > size && isText(bytes.subarray(0, bytes.length - size)),
  );
}

function isText(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString('utf8')).equals(bytes);
}

/** @param hasPrefix whether the computed digest has the prefix of the signature header */
function describeCorrect({ scheme, sentDigests }: DigestInput, digest: string, hasPrefix: boolean): string {
  const header = scheme.headers.signature;
  if (!sentDigests.includes(digest))
    return `The digest is correct, but the ${header} header of this attempt does not contain it: an injected fault replaced the signature, or the secret has changed since.`;
  return hasPrefix
    ? `The digest is correct. Compare it with each signature in ${header}, in constant time.`
    : `The digest is correct. ${header} starts with ${scheme.header.prefix}: compare both with the prefix, or both without it.`;
}
