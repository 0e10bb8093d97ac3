import { createHmac, timingSafeEqual } from 'node:crypto';
import { SvcError } from '../../errors.ts';
import type { SignatureScheme, SignedPart } from './scheme.ts';

const PLACEHOLDER = /(\{(?:id|timestamp|body)\})/;
const PARTS = new Map<string, Exclude<SignedPart, 'literal'>>([
  ['{id}', 'id'],
  ['{timestamp}', 'timestamp'],
  ['{body}', 'body'],
]);
const templates = new WeakMap<SignatureScheme, readonly TemplatePiece[]>();

interface TemplatePiece {
  readonly part: SignedPart;
  /** As the template has it. */
  readonly text: string;
}

/** What a signature can cover. `timestamp` is the text that stands in the header, not the instant that it means. */
export interface SignedMessage {
  readonly id: string;
  readonly timestamp: string;
  readonly body: string | Uint8Array;
}

/** The HMAC of the message in the scheme's encoding. The pieces are hashed one by one: a body is never copied. */
export function computeDigest(scheme: SignatureScheme, secret: string, message: SignedMessage): string {
  const hmac = createHmac(scheme.algorithm, toKey(scheme, secret));
  for (const piece of contentPieces(scheme, message)) hmac.update(piece);
  return hmac.digest(scheme.encoding);
}

/** The content that is signed: text where the body is text, bytes otherwise. */
export function buildSignedContent(scheme: SignatureScheme, message: SignedMessage): string | Uint8Array {
  const pieces = contentPieces(scheme, message);
  if (typeof message.body === 'string') return pieces.join('');
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
}

/** The content that is signed, each piece with what it is. */
export function listSignedParts(scheme: SignatureScheme, message: SignedMessage & { readonly body: string }) {
  return templateOf(scheme).map(({ part, text }) => ({
    part,
    text: part === 'literal' ? text : message[part],
  }));
}

/** Whether one of `digests`, as they stand in the header, is the message's own. Compares in constant time. */
export function matchesAnyDigest(
  scheme: SignatureScheme,
  secret: string,
  message: SignedMessage,
  digests: readonly string[],
): boolean {
  const expected = Buffer.from(computeDigest(scheme, secret, message));
  return digests.some((text) => {
    const digest = Buffer.from(text);
    return digest.length === expected.length && timingSafeEqual(digest, expected);
  });
}

/** Whether `secret` gives a key of at least one byte. With an empty key anybody could sign. */
export function isUsableSecret(scheme: SignatureScheme, secret: unknown): secret is string {
  return typeof secret === 'string' && toKey(scheme, secret).length > 0;
}

/**
 * The secrets to sign with.
 * @throws SvcError `validation_failed` when there is none, or one without a key in it: with that anybody could sign.
 */
export function requireSecrets(
  scheme: SignatureScheme,
  given: string | readonly string[],
): readonly string[] {
  const secrets = typeof given === 'string' ? [given] : given;
  if (secrets?.length > 0 && secrets.every((secret) => isUsableSecret(scheme, secret))) return secrets;
  throw new SvcError(
    'validation_failed',
    'There is no secret to sign with: it is absent, empty or has no key in it.',
  );
}

/**
 * Without an id, a header would be undefined.
 * @throws SvcError `validation_failed` when the scheme sends an id and there is none.
 */
export function requireId({ name, headers, content }: SignatureScheme, id: unknown): void {
  if ((headers.id === null && !content.includes('{id}')) || (typeof id === 'string' && id !== '')) return;
  throw new SvcError('validation_failed', `There is no id: the scheme ${name} sends it as ${headers.id}.`, {
    hint: 'Pass the id of the delivery, such as del_1.',
  });
}

function toKey({ key }: SignatureScheme, secret: string): string | Uint8Array {
  if (key.form === 'utf8') return secret;
  return Buffer.from(secret.startsWith(key.prefix) ? secret.slice(key.prefix.length) : secret, key.form);
}

/** The pieces of the content in their order. */
function contentPieces(scheme: SignatureScheme, message: SignedMessage): (string | Uint8Array)[] {
  return templateOf(scheme).map(({ part, text }) => (part === 'literal' ? text : message[part]));
}

/** Taken apart once a scheme: this is the hot path. */
function templateOf(scheme: SignatureScheme): readonly TemplatePiece[] {
  const known = templates.get(scheme);
  if (known !== undefined) return known;
  const template = scheme.content
    .split(PLACEHOLDER)
    .filter((piece) => piece !== '')
    .map((text) => ({ part: PARTS.get(text) ?? ('literal' as const), text }));
  templates.set(scheme, template);
  return template;
}
