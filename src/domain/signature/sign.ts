/** Signs deliveries. */
import { buildSignedContent, computeDigest, type SignedMessage } from './digest.ts';
import type { SignatureScheme } from './scheme.ts';
import { formatSignatureHeader } from './signature-header.ts';
import { formatTimestamp } from './timestamp.ts';

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
  /** The signed content: text if the body is text, otherwise bytes. Built on first access. */
  readonly signedContent: string | Uint8Array;
}

/** Signs one attempt of a delivery (§6 of the service description), once with each secret. */
export function signDelivery({ scheme, secrets, id, timestampMs, body }: DeliveryToSign): SignedDelivery {
  const timestamp = formatTimestamp(scheme.timestampFormat, timestampMs);
  const message: SignedMessage = { id, timestamp, body };
  const signingSecrets = scheme.header.separator === null ? secrets.slice(0, 1) : secrets;
  const digests = signingSecrets.map((secret) => computeDigest(scheme, secret, message));
  const headers = { [scheme.headers.signature]: formatSignatureHeader(scheme, timestamp, digests) };
  if (scheme.headers.timestamp !== null) headers[scheme.headers.timestamp] = timestamp;
  if (scheme.headers.id !== null) headers[scheme.headers.id] = id;
  return {
    headers,
    timestamp,
    get signedContent() {
      return buildSignedContent(scheme, message);
    },
  };
}
