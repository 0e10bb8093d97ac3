/** The ways to write a digest as text, and the mistakes in it. */
import type { SignatureScheme } from './scheme.ts';
import { digestBytes } from './signature-header.ts';

export interface DigestForm {
  readonly name: string;
  readonly write: (digest: Buffer) => string;
  /** The digest in a text; null if the form loses a part of it. */
  readonly read: (text: string) => Buffer | null;
  /** Texts that can be in a form that loses a part of the digest. */
  readonly pattern?: RegExp;
}

const toHex = (digest: Buffer) => digest.toString('hex');
const fromHex = (text: string) => Buffer.from(text, 'hex');
const toBase64 = (digest: Buffer) => digest.toString('base64');
const fromBase64 = (text: string) => Buffer.from(text, 'base64');

const forms = {
  hex: { name: 'lowercase hex', write: toHex, read: fromHex },
  base64: { name: 'base64', write: toBase64, read: fromBase64 },
} as const satisfies Record<SignatureScheme['encoding'], DigestForm>;

/** Fewer characters could match by chance. */
const PARTIAL_HEX = /^[\da-f]{24,127}$/;

/** If two forms of a digest are the same text, the more common one is first. */
export const digestForms: readonly DigestForm[] = [
  forms.hex,
  forms.base64,
  {
    name: 'hex and then encoded in base64',
    write: (digest) => toBase64(Buffer.from(toHex(digest))),
    read: (text) => fromHex(fromBase64(text).toString('latin1')),
  },
  { name: 'uppercase hex', write: (digest) => toHex(digest).toUpperCase(), read: fromHex },
  {
    name: 'base64 without padding',
    write: (digest) => toBase64(digest).replace(/=+$/, ''),
    read: fromBase64,
  },
  { name: 'base64url', write: (digest) => digest.toString('base64url'), read: fromBase64 },
  {
    name: 'base64url with padding',
    write: (digest) => toBase64(digest).replaceAll('+', '-').replaceAll('/', '_'),
    read: fromBase64,
  },
  {
    name: 'hex without leading zeros',
    write: (digest) => toHex(digest).replace(/^0+/, ''),
    read: () => null,
    pattern: PARTIAL_HEX,
  },
  {
    name: 'hex with one digit for bytes below 16',
    write: (digest) => Array.from(digest, (byte) => byte.toString(16)).join(''),
    read: () => null,
    pattern: PARTIAL_HEX,
  },
];

/** The correct form of a scheme. */
export function getDigestForm({ encoding }: SignatureScheme): DigestForm {
  return forms[encoding];
}

/** The forms in which the text can be a digest; none if it is not a digest of a known algorithm. */
export function listPossibleForms(text: string): DigestForm[] {
  return digestForms.filter((form) => {
    const digest = form.read(text);
    if (digest === null) return form.pattern?.test(text) === true;
    return DIGEST_LENGTHS.includes(digest.length) && form.write(digest) === text;
  });
}

/** Those of MD5, SHA-1, SHA-224, SHA-256, SHA-384 and SHA-512. */
const DIGEST_LENGTHS = [16, 20, 28, 32, 48, 64];

/** The forms in which the text can be a complete digest of an algorithm of a scheme, with the digest. */
export function readDigest(text: string): { readonly form: DigestForm; readonly digest: Buffer }[] {
  return listPossibleForms(text).flatMap((form) => {
    const digest = form.read(text);
    return digest !== null && Object.values<number>(digestBytes).includes(digest.length)
      ? [{ form, digest }]
      : [];
  });
}

export function describeCorrectForm(scheme: SignatureScheme): string {
  return `Write the signature as ${scheme.header.prefix} followed by the digest in ${getDigestForm(scheme).name}.`;
}

export function describePrefixMistake(prefix: string, { header }: SignatureScheme): string {
  return prefix === ''
    ? `the prefix ${header.prefix} was missing`
    : `the prefix was ${prefix} instead of ${header.prefix}`;
}

export function describeFormMistake({ name }: DigestForm, scheme: SignatureScheme): string {
  return `the digest was written in ${name} instead of ${getDigestForm(scheme).name}`;
}
