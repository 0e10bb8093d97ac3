/** The steps of the verification of a signature, with the values of one delivery. */
import { createHash } from 'node:crypto';
import { maskSecret } from '../domain/credentials.ts';
import { formatCount } from '../domain/message-parts.ts';
import type { SignatureScheme } from './scheme.ts';
import { describeKey } from './schemes.ts';
import { buildSignedContent, computeDigest, type SignableMessage } from './sign.ts';

/** Characters of the signed content that are shown. */
const MAX_CONTENT_CHARS = 200;

/**
 * The steps of a receiver with the correct secret. A receiver whose intermediate values differ has its mistake there.
 * @param signatureHeader the header as it was sent
 */
export function listSignatureSteps(
  scheme: SignatureScheme,
  secret: string,
  message: SignableMessage & { readonly body: string },
  signatureHeader: string,
): { readonly step: string; readonly value: string }[] {
  const { headers, header, key } = scheme;
  const content = String(buildSignedContent(scheme, message));
  const bytes = Buffer.byteLength(message.body);
  const sha256 = createHash('sha256').update(message.body).digest('hex');
  const steps: readonly (readonly [step: string, value: string])[] = [
    [
      `Read the timestamp from ${headers.timestamp ?? headers.signature}, without converting it`,
      message.timestamp,
    ],
    ['Read the raw request body, before any parser', `${formatCount(bytes, 'byte')}, SHA-256 ${sha256}`],
    [
      `Build the signed content ${scheme.content}`,
      content.length > MAX_CONTENT_CHARS ? `${content.slice(0, MAX_CONTENT_CHARS)}…` : content,
    ],
    [`Use ${describeKey(key)} as the key`, maskSecret(secret)],
    [
      `Compute the HMAC with ${scheme.algorithm}, in ${scheme.encoding}, after ${header.prefix}`,
      header.prefix + computeDigest(scheme, secret, message),
    ],
    [`Compare it in constant time with each signature in ${headers.signature}`, signatureHeader],
  ];
  return steps
    .slice(scheme.content.includes('{timestamp}') ? 0 : 1)
    .map(([step, value]) => ({ step, value }));
}
