/** Deliveries with an invalid signature or timestamp. Each differs from a valid one in one way. */
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
  /** What it means that the receiver accepts the delivery, and what to do. */
  readonly explanation: string;
  create(factory: DeliveryFactory): DeliveryMessage;
}

/** One minute more than the tolerance, so that clocks may differ a little. */
const STALE_AGE_MS = 6 * MINUTE_MS;

const withTamperedSignature: readonly TamperedDelivery[] = [
  {
    id: 'signature.other-secret',
    rule: 'signature',
    sent: 'a delivery signed with another secret',
    explanation:
      'Your receiver accepts a signature made with another secret, so anyone can forge deliveries. Compute the signature with the endpoint secret and compare it with the header.',
    create: (factory) => factory.sign(factory.createBody(), { secrets: [createWebhookSecret()] }),
  },
  {
    id: 'signature.altered-body',
    rule: 'signature',
    sent: 'a delivery whose body was changed after signing',
    explanation: 'Your receiver accepts a changed body. Compute the signature over the body that arrived.',
    create: (factory) => ({ ...factory.createValid(), body: factory.createBody() }),
  },
  {
    id: 'signature.missing',
    rule: 'signature',
    sent: 'a delivery without a signature header',
    explanation:
      'Your receiver accepts a delivery without a signature. Reject it instead of skipping verification.',
    create: (factory) => withoutHeader(factory.createValid(), factory.scheme.headers.signature),
  },
  {
    id: 'signature.empty',
    rule: 'signature',
    sent: 'a delivery with an empty signature header',
    explanation: 'Your receiver accepts an empty signature. Reject it instead of skipping verification.',
    create: (factory) => withHeader(factory.createValid(), factory.scheme.headers.signature, ''),
  },
  {
    id: 'signature.blank',
    rule: 'signature',
    sent: 'a signature header without the digest',
    explanation: 'Your receiver accepts an empty digest. Compare whole signatures, including their length.',
    create: (factory) => withDigest(factory, () => ''),
  },
  {
    id: 'signature.truncated',
    rule: 'signature',
    sent: 'the first half of the valid signature',
    explanation:
      'Your receiver accepts part of a signature. Compare whole signatures, including their length.',
    create: (factory) => withDigest(factory, (digest) => digest.slice(0, digest.length / 2)),
  },
  {
    id: 'signature.prefixed',
    rule: 'signature',
    sent: 'the valid signature with extra characters in front',
    explanation: 'Your receiver accepts text that only contains the signature. Compare whole signatures.',
    create: (factory) => withDigest(factory, (digest) => `0000${digest}`),
  },
  {
    id: 'signature.empty-body',
    rule: 'signature',
    sent: 'a delivery with the signature of an empty body',
    explanation:
      'Your receiver verifies an empty body, because a parser has already read it. Read the raw bytes first.',
    create: (factory) => ({ ...factory.sign(''), body: factory.createBody() }),
  },
];

const withOldTimestamp: TamperedDelivery = {
  id: 'timestamp.old',
  rule: 'timestamp',
  sent: 'a correctly signed delivery that is six minutes old',
  explanation:
    'Your receiver accepts an old delivery, so anyone who recorded it can send it again. Reject deliveries that are older than five minutes.',
  create: (factory) => factory.sign(factory.createBody(), { ageMs: STALE_AGE_MS }),
};

const withReplacedTimestamp: TamperedDelivery = {
  id: 'timestamp.replaced',
  rule: 'timestamp',
  sent: 'an old delivery whose timestamp header was set to now',
  explanation:
    'Your receiver accepts a changed timestamp. Include the text of the timestamp header in the signed content.',
  create: (factory) => {
    const stale = factory.sign(factory.createBody(), { ageMs: STALE_AGE_MS });
    const { timestamp } = factory.createValid();
    const headers = Object.entries(stale.headers).map(([name, value]) => [
      name,
      value.replace(stale.timestamp, timestamp),
    ]);
    return { body: stale.body, headers: Object.fromEntries(headers) };
  },
};

const withoutTimestamp: TamperedDelivery = {
  id: 'timestamp.missing',
  rule: 'timestamp',
  sent: 'a delivery without a timestamp header',
  explanation: 'Your receiver accepts a delivery without a timestamp. Reject it.',
  create: (factory) => withoutHeader(factory.createValid(), factory.scheme.headers.timestamp ?? ''),
};

/** The tampered deliveries that are possible for a scheme. */
export function listTamperedDeliveries(scheme: SignatureScheme): readonly TamperedDelivery[] {
  return [
    ...withTamperedSignature,
    ...(scheme.headers.timestamp === null ? [] : [withoutTimestamp]),
    ...(hasTimestamp(scheme) ? [withOldTimestamp] : []),
    ...(scheme.content.includes('{timestamp}') ? [withReplacedTimestamp] : []),
  ];
}

function withDigest(factory: DeliveryFactory, change: (digest: string) => string): DeliveryMessage {
  const message = factory.createValid();
  const name = factory.scheme.headers.signature;
  const header = message.headers[name] ?? '';
  const [digest = ''] = parseSignatureHeader(factory.scheme, header).digests;
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
