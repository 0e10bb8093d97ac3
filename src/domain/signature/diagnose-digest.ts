/** Finds the mistake behind a digest that a receiver computed: tries the known mistakes until the digest matches. */
import { formatCount } from '../message-parts.ts';
import {
  describeCorrectForm,
  describeFormMistake,
  describePrefixMistake,
  getDigestForm,
  readDigest,
} from './digest-forms.ts';
import {
  computeChangedHmac,
  describeMistakes,
  listMistakes,
  MAX_CHANGED_BYTES,
  type Mistake,
  type MistakeInput,
} from './mistakes.ts';
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

/**
 * Finds up to two mistakes in the HMAC input (one for a large body), and mistakes in the prefix and the encoding, that together
 * produce the digest.
 */
export function diagnoseDigest(input: DigestInput): DigestDiagnosis {
  const { scheme, secrets } = input;
  const computedDigests = readComputedDigest(input);
  for (const mistakes of combineMistakes(input)) {
    for (const secret of secrets) {
      const hmac = computeChangedHmac(input, secret, mistakes);
      const computed = computedDigests.find(({ digest }) => digest.equals(hmac));
      if (computed !== undefined) {
        return describeMatch(input, [...mistakes, ...computed.mistakes], computed.hasPrefix);
      }
    }
  }
  const text = removePrefix(input.computedDigest.trim(), scheme);
  const isTruncated =
    text.length >= MIN_TRUNCATED_LENGTH &&
    secrets.some((secret) => computeDigest(scheme, secret, input.message).startsWith(text));
  if (isTruncated || computedDigests.length === 0) return describeMalformed(text, isTruncated, scheme);
  return {
    ok: false,
    reason: 'signature_mismatch',
    detail: arePairsTried(input)
      ? 'No known mistake produces this digest, and no combination of two mistakes of different kinds does.'
      : `No single known mistake produces this digest. svc did not try combinations of mistakes, because the body is larger than ${MAX_CHANGED_BYTES / 1024} KiB.`,
    remedy: 'Check again with the secret and the raw body that the receiver used.',
  };
}

/** Yields the combinations to try: none, each single mistake, each pair of mistakes in different parts. */
export function* combineMistakes(input: MistakeInput): Generator<readonly Mistake[]> {
  yield [];
  const mistakes = listMistakes(input).filter(({ part }) => part !== 'header');
  for (const mistake of mistakes) yield [mistake];
  if (!arePairsTried(input)) return;
  for (const [index, first] of mistakes.entries()) {
    for (const second of mistakes.slice(index + 1)) if (second.part !== first.part) yield [first, second];
  }
}

export function arePairsTried({ message }: MistakeInput): boolean {
  return Buffer.byteLength(message.body) <= MAX_CHANGED_BYTES;
}

/** @param hasPrefix whether the computed digest has the prefix of the signature header */
function describeMatch(
  input: DigestInput,
  mistakes: readonly Pick<Mistake, 'reason' | 'description' | 'remedy'>[],
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
  return { ok: false, ...describeMistakes(mistakes) };
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

/** The digests that the text can be, with the mistakes in how it is written. None if it is not an HMAC of a known length. */
function readComputedDigest({ computedDigest, scheme }: DigestInput) {
  const trimmed = computedDigest.trim();
  const { prefix } = scheme.header;
  const hasPrefix = trimmed.startsWith(prefix);
  const [otherPrefix = ''] = hasPrefix ? [] : (ANY_PREFIX.exec(trimmed) ?? []);
  const text = trimmed.slice(hasPrefix ? prefix.length : otherPrefix.length);
  const reason = 'encoding_changed' as const;
  const remedy = describeCorrectForm(scheme);
  return readDigest(text).map(({ form, digest }) => {
    const descriptions = [
      ...(otherPrefix === '' ? [] : [describePrefixMistake(otherPrefix, scheme)]),
      ...(form === getDigestForm(scheme) ? [] : [describeFormMistake(form, scheme)]),
    ];
    return {
      digest,
      hasPrefix,
      mistakes: descriptions.map((description) => ({ reason, description, remedy })),
    };
  });
}

function removePrefix(text: string, { header: { prefix } }: SignatureScheme): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}
