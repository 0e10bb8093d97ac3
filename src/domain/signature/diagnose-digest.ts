/** Finds the mistake behind a digest that a receiver computed: tries the known mistakes until the digest matches. */
import { formatCount } from '../message-parts.ts';
import {
  describeCorrectForm,
  describeFormMistake,
  describePrefixMistake,
  getDigestForm,
  listPossibleForms,
} from './digest-forms.ts';
import { describeMistakes, findMistakes, type Mistake, type MistakeInput } from './mistakes.ts';
import type { MistakeReason } from './refusals.ts';
import type { SignatureScheme } from './scheme.ts';
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

/** Bytes that are hashed for pairs of mistakes, which takes up to 0.3 seconds. */
const MAX_HASHED_BYTES = 80 * 1024 * 1024;

/**
 * Finds up to two mistakes in the digest, and mistakes in the prefix and the encoding, that together produce the digest.
 */
export function diagnoseDigest(input: DigestInput): DigestDiagnosis {
  const { scheme, secrets } = input;
  const computed = readComputedDigest(input);
  const matchForm = (digest: Buffer) =>
    computed.forms.find((form) => form.write(digest) === computed.text) ?? null;
  const found = findMistakes(input, matchForm, MAX_HASHED_BYTES);
  if (found !== null) {
    const { form, prefix } = { form: found.match, prefix: computed.otherPrefix };
    const written = [
      ...(prefix === '' ? [] : [describePrefixMistake(prefix, scheme)]),
      ...(form === getDigestForm(scheme) ? [] : [describeFormMistake(form, scheme)]),
    ].map((description) => ({
      ...{ reason: 'encoding_changed' as const, description, remedy: describeCorrectForm(scheme) },
    }));
    return describeMatch(input, [...found.mistakes, ...written], found.others, computed.hasPrefix);
  }
  const text = removePrefix(input.computedDigest.trim(), scheme);
  const isTruncated =
    text.length >= MIN_TRUNCATED_LENGTH &&
    secrets.some((secret) => computeDigest(scheme, secret, input.message).startsWith(text));
  if (isTruncated || computed.forms.length === 0) return describeMalformed(text, isTruncated, scheme);
  return {
    ok: false,
    reason: 'signature_mismatch',
    detail:
      'No known mistake produces this digest, and none of the likely combinations of two mistakes does.',
    remedy: 'Check again with the secret and the raw body that the receiver used.',
  };
}

/** @param hasPrefix whether the computed digest has the prefix of the signature header */
function describeMatch(
  input: DigestInput,
  mistakes: readonly Pick<Mistake, 'reason' | 'description' | 'remedy'>[],
  others: readonly Mistake[],
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
  return { ok: false, ...describeMistakes(mistakes, others) };
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

/** Common prefixes of signatures: `v1=`, `sha256=`. */
const ANY_PREFIX = /^(?:v\d\w{0,7}|sha\d{1,3})[=,]/;

/** The text of the digest without its prefix, and the forms in which it can be a digest: none if it is not one. */
function readComputedDigest({ computedDigest, scheme }: DigestInput) {
  const trimmed = computedDigest.trim();
  const { prefix } = scheme.header;
  const hasPrefix = trimmed.startsWith(prefix);
  const [otherPrefix = ''] = hasPrefix ? [] : (ANY_PREFIX.exec(trimmed) ?? []);
  const text = trimmed.slice(hasPrefix ? prefix.length : otherPrefix.length);
  return { text, hasPrefix, otherPrefix, forms: listPossibleForms(text) };
}

function removePrefix(text: string, { header: { prefix } }: SignatureScheme): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}
