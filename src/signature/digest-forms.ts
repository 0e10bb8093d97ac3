/** The ways to write a digest as text, and the mistakes in it. */
import type { SignatureScheme } from './scheme.ts';

export interface DigestForm {
  readonly name: string;
  readonly write: (digest: Buffer) => string;
  /** The digest in a text, or a form that loses a part of it: the texts that can be in it. */
  readonly read: ((text: string) => Buffer) | RegExp;
}

const toHex = (digest: Buffer) => digest.toString('hex');
const fromHex = (text: string) => Buffer.from(text, 'hex');
const toBase64 = (digest: Buffer) => digest.toString('base64');
const fromBase64 = (text: string) => Buffer.from(text, 'base64');

/** Fewer characters could match by chance. */
const PARTIAL_HEX = /^[\da-f]{24,127}$/;

const toForm = (name: string, write: DigestForm['write'], read: DigestForm['read']): DigestForm => ({
  ...{ name, write, read },
});

const hexForm = toForm('lowercase hex', toHex, fromHex);
const base64Form = toForm('base64', toBase64, fromBase64);

/** If two forms of a digest are the same text, the more common one is first. */
export const digestForms: readonly DigestForm[] = [
  hexForm,
  base64Form,
  toForm(
    'hex and then encoded in base64',
    (digest) => toBase64(Buffer.from(toHex(digest))),
    (text) => fromHex(fromBase64(text).toString('latin1')),
  ),
  toForm('uppercase hex', (digest) => toHex(digest).toUpperCase(), fromHex),
  toForm('base64 without padding', (digest) => toBase64(digest).replace(/=+$/, ''), fromBase64),
  toForm('base64url', (digest) => digest.toString('base64url'), fromBase64),
  toForm(
    'base64url with padding',
    (digest) => toBase64(digest).replaceAll('+', '-').replaceAll('/', '_'),
    fromBase64,
  ),
  toForm('hex without leading zeros', (digest) => toHex(digest).replace(/^0+/, ''), PARTIAL_HEX),
  toForm(
    'hex with one digit for bytes below 16',
    (digest) => Array.from(digest, (byte) => byte.toString(16)).join(''),
    PARTIAL_HEX,
  ),
  toForm(
    'hex as a signed number, as new BigInteger(bytes).toString(16) of Java does',
    (digest) => BigInt.asIntN(digest.length * 8, BigInt(`0x${toHex(digest)}`)).toString(16),
    /^-?[\da-f]{24,128}$/,
  ),
];

/** The correct form of a scheme. */
export function getDigestForm({ encoding }: SignatureScheme): DigestForm {
  return encoding === 'hex' ? hexForm : base64Form;
}

/** Those of MD5, SHA-1, SHA-224, SHA-256, SHA-384 and SHA-512. */
const DIGEST_LENGTHS = [16, 20, 28, 32, 48, 64];

/** The forms in which the text can be a digest, complete or not; none if it is not one of a known algorithm. */
export function listPossibleForms(text: string): DigestForm[] {
  return digestForms.filter(({ read, write }) => {
    if (read instanceof RegExp) return read.test(text);
    const digest = read(text);
    return DIGEST_LENGTHS.includes(digest.length) && write(digest) === text;
  });
}

/** Whether the text can be a complete digest of this length. */
export function isDigest(text: string, bytes: number): boolean {
  return listPossibleForms(text).some(({ read }) => !(read instanceof RegExp) && read(text).length === bytes);
}

export function describeCorrectForm(scheme: SignatureScheme): string {
  return `Write the signature as ${scheme.header.prefix} followed by the digest in ${getDigestForm(scheme).name}.`;
}

/** The mistakes in how a digest is written: null where it is correct. */
export function describeEncodingMistakes(
  form: DigestForm | null,
  prefix: string | null,
  scheme: SignatureScheme,
): string[] {
  const correct = scheme.header.prefix;
  const other =
    prefix === '' ? `the prefix ${correct} was missing` : `the prefix was ${prefix} instead of ${correct}`;
  return [
    ...(prefix === null ? [] : [other]),
    ...(form === null
      ? []
      : [`the digest was written in ${form.name} instead of ${getDigestForm(scheme).name}`]),
  ];
}
