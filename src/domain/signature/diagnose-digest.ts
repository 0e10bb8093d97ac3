/** Finds the mistake behind a digest that a receiver computed: tries the known mistakes until the digest matches. */
import {
  combineMistakes,
  computeHmac,
  type DigestInput,
  type DigestMistake,
  type DigestReason,
  type HmacInput,
  toHmacInput,
} from './digest-mistakes.ts';
import type { SignatureScheme } from './scheme.ts';
import { digestBytes } from './signature-header.ts';

export interface DigestDiagnosis {
  readonly ok: boolean;
  readonly reason: DigestReason | null;
  readonly detail: string;
  readonly remedy: string | null;
}

/** Fewer characters could match by chance. */
const MIN_CUT_LENGTH = 12;

/** Finds the mistake, or the combination of two mistakes, that leads to the digest. */
export function diagnoseDigest(input: DigestInput): DigestDiagnosis {
  const { scheme, secrets } = input;
  const readings = readDigest(input);
  const right: readonly HmacInput[] = secrets.map((secret) => toHmacInput(input, secret));
  for (const mistakes of combineMistakes(input)) {
    for (const hmacInput of right) {
      const digest = computeHmac(Object.assign({}, hmacInput, ...mistakes.map(({ change }) => change)));
      const reading = readings.find(({ bytes }) => bytes.equals(digest));
      if (reading !== undefined) return conclude(input, [...mistakes, ...reading.mistakes], reading.prefixed);
    }
  }
  const text = withoutPrefix(input.computed.trim(), scheme);
  const isCut = text.length >= MIN_CUT_LENGTH && right.some((hmacInput) => isPart(text, hmacInput, scheme));
  if (isCut || readings.length === 0) return refuseMalformed(text, isCut, scheme);
  return {
    ok: false,
    reason: 'signature_mismatch',
    detail: 'The digest does not match any known mistake or combination of two.',
    remedy: 'Check again, and pass the secret and the raw body that the receiver used.',
  };
}

function conclude(
  input: DigestInput,
  mistakes: readonly DigestMistake[],
  prefixed: boolean,
): DigestDiagnosis {
  const { scheme, sentDigests, computed } = input;
  const { prefix } = scheme.header;
  if (mistakes.length === 0) {
    const bare = withoutPrefix(computed.trim(), scheme);
    const isSent = sentDigests.includes(bare);
    const compare = prefixed
      ? `Compare it with each signature in ${scheme.headers.signature}, in constant time.`
      : `${scheme.headers.signature} starts with ${prefix}: compare both with the prefix, or both without it.`;
    const faulty = `But ${scheme.headers.signature} of this attempt does not contain it: the signature that was sent is invalid.`;
    return {
      ok: true,
      reason: null,
      detail: `The digest is correct. ${isSent ? compare : faulty}`,
      remedy: null,
    };
  }
  const count = mistakes.length === 1 ? 'one mistake' : `${mistakes.length} mistakes`;
  return {
    ok: false,
    reason: mistakes[0]?.reason ?? null,
    detail: `The receiver made ${count}: ${mistakes.map(({ description }) => description).join('; ')}.`,
    remedy: [...new Set(mistakes.map(({ remedy }) => remedy))].join(' '),
  };
}

function refuseMalformed(
  text: string,
  isCut: boolean,
  { algorithm, encoding }: SignatureScheme,
): DigestDiagnosis {
  const expected = `${digestBytes[algorithm]} bytes in ${encoding}`;
  return {
    ok: false,
    reason: 'digest_malformed',
    detail: isCut
      ? `The digest is truncated: it has only the first ${text.length} characters of the correct digest.`
      : `The digest has ${text.length} characters which are not an HMAC in hex or base64.`,
    remedy: `Pass the complete digest as the receiver computed it: ${expected}.`,
  };
}

interface Reading {
  readonly bytes: Buffer;
  readonly mistakes: readonly DigestMistake[];
  readonly prefixed: boolean;
}

const HEX = /^(?:[0-9a-f]{2})+$/i;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
/** Common prefixes of signatures: `v1=`, `sha256=`. */
const ANY_PREFIX = /^(?:v\d\w{0,7}|sha\d{1,3})[=,]/;

/** The possible decodings of the text; none when it is not an HMAC of a known length. */
function readDigest({ computed, scheme }: DigestInput): Reading[] {
  const trimmed = computed.trim();
  const { prefix } = scheme.header;
  const prefixed = trimmed.startsWith(prefix);
  const [other = ''] = prefixed ? [] : (ANY_PREFIX.exec(trimmed) ?? []);
  const text = prefixed ? trimmed.slice(prefix.length) : trimmed.slice(other.length);
  const wrongPrefix =
    other === '' ? [] : [mistake('encoding_changed', `the prefix was ${other} instead of ${prefix}`)];
  return decodings(text)
    .filter(({ bytes }) => Object.values<number>(digestBytes).includes(bytes.length))
    .map(({ bytes, name }) => {
      const wanted = scheme.encoding === 'hex' ? 'lower-case hex' : 'base64';
      const isRight = bytes.toString(scheme.encoding) === text;
      const wrongEncoding = mistake(
        'encoding_changed',
        `the digest was written in ${name} instead of ${wanted}`,
      );
      return { bytes, prefixed, mistakes: [...wrongPrefix, ...(isRight ? [] : [wrongEncoding])] };
    });

  function mistake(reason: DigestReason, what: string): DigestMistake {
    const remedy = `Write the signature as ${prefix} followed by the digest in ${scheme.encoding === 'hex' ? 'lower-case hex' : 'base64'}.`;
    return { reason, description: what, remedy, change: {} };
  }
}

function decodings(text: string): { readonly name: string; readonly bytes: Buffer }[] {
  const base64 = BASE64.test(text) ? Buffer.from(text, 'base64') : null;
  const inner = base64?.toString('latin1') ?? '';
  return [
    ...(HEX.test(text)
      ? [{ name: /[A-F]/.test(text) ? 'upper-case hex' : 'hex', bytes: Buffer.from(text, 'hex') }]
      : []),
    ...(base64
      ? [{ name: /[-_]/.test(text) || !text.endsWith('=') ? 'base64url' : 'base64', bytes: base64 }]
      : []),
    ...(HEX.test(inner) ? [{ name: 'the base64 of its hex text', bytes: Buffer.from(inner, 'hex') }] : []),
  ];
}

function withoutPrefix(text: string, { header: { prefix } }: SignatureScheme): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

function isPart(text: string, hmacInput: HmacInput, { encoding }: SignatureScheme): boolean {
  return computeHmac(hmacInput).toString(encoding).startsWith(text);
}
