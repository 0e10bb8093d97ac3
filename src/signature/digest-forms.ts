/** The ways to write a digest as text. */
import type { SignatureScheme } from './scheme.ts';

export interface DigestForm {
  readonly name: string;
  readonly write: (digest: Buffer) => string;
}

const toHex = (digest: Buffer) => digest.toString('hex');
const toBase64 = (digest: Buffer) => digest.toString('base64');

const hexForm: DigestForm = { name: 'lowercase hex', write: toHex };
const base64Form: DigestForm = { name: 'base64', write: toBase64 };

/** If two forms of a digest are the same text, the more common one is first. */
export const digestForms: readonly DigestForm[] = [
  hexForm,
  base64Form,
  { name: 'hex and then encoded in base64', write: (digest) => toBase64(Buffer.from(toHex(digest))) },
  { name: 'uppercase hex', write: (digest) => toHex(digest).toUpperCase() },
  { name: 'base64 without padding', write: (digest) => toBase64(digest).replace(/=+$/, '') },
  { name: 'base64url', write: (digest) => digest.toString('base64url') },
  {
    name: 'base64url with padding',
    write: (digest) => toBase64(digest).replaceAll('+', '-').replaceAll('/', '_'),
  },
  { name: 'hex without leading zeros', write: (digest) => toHex(digest).replace(/^0+/, '') },
  {
    name: 'hex with one digit for bytes below 16',
    write: (digest) => Array.from(digest, (byte) => byte.toString(16)).join(''),
  },
  {
    name: 'hex as a signed number, as new BigInteger(bytes).toString(16) of Java does',
    write: (digest) => BigInt.asIntN(digest.length * 8, BigInt(`0x${toHex(digest)}`)).toString(16),
  },
];

/** The correct form of a scheme. */
export function getDigestForm({ encoding }: SignatureScheme): DigestForm {
  return encoding === 'hex' ? hexForm : base64Form;
}

/** Those of MD5, SHA-1, SHA-224, SHA-256, SHA-384 and SHA-512. */
const DIGEST_LENGTHS = [16, 20, 28, 32, 48, 64];

/** Whether the text can be a complete digest with one of these lengths in bytes (default: those of the known algorithms). */
export function isDigest(text: string, lengths: readonly number[] = DIGEST_LENGTHS): boolean {
  const isHex = /^[\da-f]+$/i.test(text);
  if (!isHex && !/^[\w+/-]+={0,2}$/.test(text)) return false;
  return lengths.includes(isHex ? text.length / 2 : Buffer.from(text, 'base64').length);
}

export function describeCorrectForm(scheme: SignatureScheme): string {
  return `Write the signature as ${scheme.header.prefix} followed by the digest in ${getDigestForm(scheme).name}.`;
}

export function describeForm(form: DigestForm, scheme: SignatureScheme): string {
  return `the digest was written in ${form.name} instead of ${getDigestForm(scheme).name}`;
}

/** @param prefix another one than that of the scheme */
export function describePrefix(prefix: string, { header }: SignatureScheme): string {
  return prefix === ''
    ? `the prefix ${header.prefix} was missing`
    : `the prefix was ${prefix} instead of ${header.prefix}`;
}
