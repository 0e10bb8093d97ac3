/** Deliveries that are not signed as they should be: each differs from a genuine one in one thing alone. */
import { MINUTE_MS } from '../domain/duration.ts';
import { createWebhookSecret } from '../domain/secret.ts';
import type { SignatureScheme } from '../domain/signature/scheme.ts';
import { hasTimestamp } from '../domain/signature/schemes.ts';
import { parseSignatureHeader } from '../domain/signature/signature-header.ts';
import type { DeliveryFactory } from './delivery-factory.ts';
import type { ReceiverRule } from './receiver-check.ts';
import type { DeliveryMessage } from './receiver-client.ts';

export interface TamperedDelivery {
  readonly id: string;
  readonly rule: ReceiverRule;
  readonly sent: string;
  /** What a receiver does that accepts it, and what it should do. */
  readonly explanation: string;
  create(deliveryFactory: DeliveryFactory): DeliveryMessage;
}

/** Past the tolerance by a minute, so that clocks may differ a little. */
const STALE_MS = 6 * MINUTE_MS;

const signatureForgeries: readonly TamperedDelivery[] = [
  {
    id: 'signature.other-secret',
    rule: 'signature',
    sent: 'a delivery signed with another secret',
    explanation:
      'Anybody can forge deliveries: compare with the signature that the secret of the endpoint gives.',
    create: (deliveryFactory) =>
      deliveryFactory.sign(deliveryFactory.createBody(), { secrets: [createWebhookSecret()] }),
  },
  {
    id: 'signature.altered-body',
    rule: 'signature',
    sent: 'a body that was altered after signing',
    explanation:
      'The body is not covered by what it verifies: compute the signature over the body that arrived.',
    create: (deliveryFactory) => ({ ...deliveryFactory.createValid(), body: deliveryFactory.createBody() }),
  },
  {
    id: 'signature.missing',
    rule: 'signature',
    sent: 'no signature header',
    explanation: 'A delivery without a signature must be rejected, not passed over.',
    create: (deliveryFactory) =>
      withoutHeader(deliveryFactory.createValid(), deliveryFactory.scheme.headers.signature),
  },
  {
    id: 'signature.empty',
    rule: 'signature',
    sent: 'an empty signature header',
    explanation: 'An empty signature must be rejected: it is no reason to skip verification.',
    create: (deliveryFactory) =>
      withHeader(deliveryFactory.createValid(), deliveryFactory.scheme.headers.signature, ''),
  },
  {
    id: 'signature.blank',
    rule: 'signature',
    sent: 'a signature header without the signature itself',
    explanation: 'The empty text passes its comparison: compare whole signatures, lengths included.',
    create: (deliveryFactory) => withDigest(deliveryFactory, () => ''),
  },
  {
    id: 'signature.truncated',
    rule: 'signature',
    sent: 'the first half of the right signature',
    explanation: 'A part of the signature passes its comparison: compare whole signatures, lengths included.',
    create: (deliveryFactory) => withDigest(deliveryFactory, (digest) => digest.slice(0, digest.length / 2)),
  },
  {
    id: 'signature.prefixed',
    rule: 'signature',
    sent: 'the right signature with more in front of it',
    explanation: 'A text that only contains the signature passes its comparison: compare whole signatures.',
    create: (deliveryFactory) => withDigest(deliveryFactory, (digest) => `0000${digest}`),
  },
  {
    id: 'signature.empty-body',
    rule: 'signature',
    sent: 'a body with the signature of an empty body',
    explanation: 'It verifies an empty body: a parser has read the body before. Read the raw bytes first.',
    create: (deliveryFactory) => ({ ...deliveryFactory.sign(''), body: deliveryFactory.createBody() }),
  },
];

const old: TamperedDelivery = {
  id: 'timestamp.old',
  rule: 'timestamp',
  sent: 'a delivery that is rightly signed and six minutes old',
  explanation: 'Whoever records a delivery can repeat it for ever: reject what is older than five minutes.',
  create: (deliveryFactory) => deliveryFactory.sign(deliveryFactory.createBody(), { ageMs: STALE_MS }),
};

const replaced: TamperedDelivery = {
  id: 'timestamp.replaced',
  rule: 'timestamp',
  sent: 'a delivery of six minutes ago with the time of now in its header',
  explanation: 'The timestamp is not covered by what it verifies: sign the text of the header with the body.',
  create: (deliveryFactory) => {
    const stale = deliveryFactory.sign(deliveryFactory.createBody(), { ageMs: STALE_MS });
    const { timestamp } = deliveryFactory.createValid();
    const headers = Object.entries(stale.headers).map(([name, value]) => [
      name,
      value.replace(stale.timestamp, timestamp),
    ]);
    return { body: stale.body, headers: Object.fromEntries(headers) };
  },
};

const untimed: TamperedDelivery = {
  id: 'timestamp.missing',
  rule: 'timestamp',
  sent: 'no timestamp header',
  explanation: 'A delivery without a timestamp must be rejected, not taken as new.',
  create: (deliveryFactory) =>
    withoutHeader(deliveryFactory.createValid(), deliveryFactory.scheme.headers.timestamp ?? ''),
};

/** What a delivery of the scheme can be forged in, by rule. */
export function listTamperedDeliveries(scheme: SignatureScheme): readonly TamperedDelivery[] {
  return [
    ...signatureForgeries,
    ...(scheme.headers.timestamp === null ? [] : [untimed]),
    ...(hasTimestamp(scheme) ? [old] : []),
    ...(scheme.content.includes('{timestamp}') ? [replaced] : []),
  ];
}

function withDigest(deliveryFactory: DeliveryFactory, change: (digest: string) => string): DeliveryMessage {
  const message = deliveryFactory.createValid();
  const name = deliveryFactory.scheme.headers.signature;
  const header = message.headers[name] ?? '';
  const [digest = ''] = parseSignatureHeader(deliveryFactory.scheme, header).digests;
  return withHeader(
    message,
    name,
    header.replace(digest, () => change(digest)),
  );
}

function withHeader({ body, headers }: DeliveryMessage, name: string, value: string): DeliveryMessage {
  return { body, headers: { ...headers, [name]: value } };
}

function withoutHeader({ body, headers }: DeliveryMessage, name: string): DeliveryMessage {
  const { [name]: _, ...rest } = headers;
  return { body, headers: rest };
}
