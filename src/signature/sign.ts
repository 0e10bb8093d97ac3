/** Signs deliveries: computes digests, and compares them. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { SvcError } from '../domain/errors.ts';
import type { SignatureScheme, SignedPart } from './scheme.ts';
import { formatSignatureHeader, formatTimestamp } from './signature-header.ts';

export interface DeliveryToSign {
  readonly scheme: SignatureScheme;
  /** The current secret first, then the previous one during a rotation. At least one, none of them empty. */
  readonly secrets: readonly string[];
  readonly id: string;
  /** Wall time of sending, milliseconds since 1970. */
  readonly timestampMs: number;
  readonly body: string | Uint8Array;
}

export interface SignedDelivery {
  /** The headers that the scheme adds to the request. */
  readonly headers: Record<string, string>;
  /** The timestamp as it is in the headers. */
  readonly timestamp: string;
  /** The signed content: text if the body is text, otherwise bytes. Built on each access. */
  readonly signedContent: string | Uint8Array;
}

/** Signs one attempt of a delivery (§6 of the service description), once with each secret. */
export function signDelivery({ scheme, secrets, id, timestampMs, body }: DeliveryToSign): SignedDelivery {
  const timestamp = formatTimestamp(scheme.timestampFormat, timestampMs);
  const message = { id, timestamp, body };
  return {
    headers: createSignatureHeaders(scheme, secrets, message),
    timestamp,
    get signedContent() {
      return buildSignedContent(scheme, message);
    },
  };
}

/** The headers that a scheme adds to a request, signed once with each secret. */
export function createSignatureHeaders(
  scheme: SignatureScheme,
  secrets: readonly string[],
  message: SignableMessage,
): Record<string, string> {
  const signingSecrets = scheme.header.separator === null ? secrets.slice(0, 1) : secrets;
  const digests = signingSecrets.map((secret) => computeDigest(scheme, secret, message));
  return formatSignatureHeaders(scheme, message, digests);
}

/** The headers of a scheme with these encoded digests. */
export function formatSignatureHeaders(
  scheme: SignatureScheme,
  { id, timestamp }: SignableMessage,
  digests: readonly string[],
): Record<string, string> {
  const headers = { [scheme.headers.signature]: formatSignatureHeader(scheme, timestamp, digests) };
  if (scheme.headers.timestamp !== null) headers[scheme.headers.timestamp] = timestamp;
  if (scheme.headers.id !== null) headers[scheme.headers.id] = id;
  return headers;
}

/** The parts that a signature can cover. `timestamp` is the text of the header. */
export interface SignableMessage {
  readonly id: string;
  readonly timestamp: string;
  readonly body: string | Uint8Array;
}

/** The HMAC of the message in the encoding of the scheme. Hashes the pieces one by one, so that a body is never copied. */
export function computeDigest(scheme: SignatureScheme, secret: string, message: SignableMessage): string {
  const hmac = createHmac(scheme.algorithm, decodeSecret(scheme, secret));
  for (const { text } of listSignedParts(scheme, message)) hmac.update(text);
  return hmac.digest(scheme.encoding);
}

/** The signed content: text if the body is text, otherwise bytes. */
export function buildSignedContent(
  scheme: Pick<SignatureScheme, 'content'>,
  message: SignableMessage,
): string | Uint8Array {
  const pieces = listSignedParts(scheme, message).map(({ text }) => text);
  if (typeof message.body === 'string') return pieces.join('');
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
}

/** The pieces of the signed content, each with its kind. */
export function listSignedParts<Body extends string | Uint8Array>(
  scheme: Pick<SignatureScheme, 'content'>,
  message: SignableMessage & { readonly body: Body },
) {
  return getTemplate(scheme).map(({ part, text }) => ({
    part,
    text: part === 'literal' ? text : message[part],
  }));
}

/** Whether one of the encoded `digests` is the digest of the message. Compares in constant time. */
export function matchesAnyDigest(
  scheme: SignatureScheme,
  secret: string,
  message: SignableMessage,
  digests: readonly string[],
): boolean {
  const expected = Buffer.from(computeDigest(scheme, secret, message));
  return digests.some((text) => {
    const digest = Buffer.from(text);
    return digest.length === expected.length && timingSafeEqual(digest, expected);
  });
}

/** Whether one of the encoded `digests` is that of the message with one of the secrets. */
export function isSignedWithAny(
  scheme: SignatureScheme,
  secrets: readonly string[],
  message: SignableMessage,
  digests: readonly string[],
): boolean {
  return secrets.some(
    (secret) => isUsableSecret(scheme, secret) && matchesAnyDigest(scheme, secret, message, digests),
  );
}

/** Whether `secret` contains a key of at least one byte. With an empty key anybody could sign. */
export function isUsableSecret(scheme: SignatureScheme, secret: unknown): secret is string {
  return typeof secret === 'string' && decodeSecret(scheme, secret).length > 0;
}

/**
 * The secrets to sign with.
 * @throws SvcError `validation_failed` if there is none, or if one contains no key.
 */
export function requireSecrets(
  scheme: SignatureScheme,
  secret: string | readonly string[],
): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  if (secrets?.length > 0 && secrets.every((candidate) => isUsableSecret(scheme, candidate))) return secrets;
  throw new SvcError(
    'validation_failed',
    'The secret is missing or empty, or nothing is left after decoding it.',
  );
}

/**
 * Checks that there is an ID if the scheme sends or signs one.
 * @throws SvcError `validation_failed`
 */
export function requireId({ name, headers, content }: SignatureScheme, id: unknown): void {
  if ((headers.id === null && !content.includes('{id}')) || (typeof id === 'string' && id !== '')) return;
  throw new SvcError(
    'validation_failed',
    `The ID is missing; the scheme ${name} sends it as ${headers.id}.`,
    { hint: 'Pass the ID of the delivery, such as del_1.' },
  );
}

/** The key in a secret, see `key` of {@link SignatureScheme}. */
export function decodeSecret(
  { key: { form, prefix = '' } }: Pick<SignatureScheme, 'key'>,
  secret: string,
): string | Uint8Array {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : secret;
  return form === 'utf8' ? text : Buffer.from(text, form);
}

const PLACEHOLDER = /(\{(?:id|timestamp|body)\})/;
/** The pieces of templates, parsed once: this is the hot path. */
const templates = new Map<string, readonly { readonly part: SignedPart; readonly text: string }[]>();

function getTemplate({ content }: Pick<SignatureScheme, 'content'>) {
  const cached = templates.get(content);
  if (cached !== undefined) return cached;
  const pieces = content.split(PLACEHOLDER).filter((piece) => piece !== '');
  const template = pieces.map((text) => ({
    part: PLACEHOLDER.test(text)
      ? (text.slice(1, -1) as Exclude<SignedPart, 'literal'>)
      : ('literal' as const),
    text,
  }));
  templates.set(content, template);
  return template;
}
