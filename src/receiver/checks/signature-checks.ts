import { MINUTE_MS } from '../../domain/duration.ts';
import { createWebhookSecret } from '../../domain/secret.ts';
import type { SignatureScheme } from '../../domain/signature/scheme.ts';
import { hasTimestamp } from '../../domain/signature/schemes.ts';
import { parseSignatureHeader } from '../../domain/signature/signature-header.ts';
import type { DeliveryFactory } from '../delivery-factory.ts';
import { notObservable, type ReceiverCheck, type ReceiverRule } from '../receiver-check.ts';
import type { DeliveryMessage } from '../receiver-client.ts';
import { createAcceptedCheck, createRejectedCheck, type SingleDelivery } from './single-delivery-check.ts';

/** One minute more than the tolerance, in case the clocks of svc and the receiver differ. */
const STALE_AGE_MS = 6 * MINUTE_MS;

/** Verification of signatures (§6.2) and of their age (§6.3). */
export function listSignatureChecks(
  scheme: SignatureScheme,
  apiKey: string | null,
): readonly ReceiverCheck[] {
  const listRejectedChecks = (rule: ReceiverRule) =>
    listTamperedDeliveries(scheme)
      .filter(({ id }) => id.startsWith(`${rule}.`))
      .map(createRejectedCheck);
  return [
    ...(scheme.header.separator === null ? [] : rotationChecks),
    ...listRejectedChecks('signature'),
    createApiKeyCheck(apiKey),
    ...listRejectedChecks('timestamp'),
    ...(hasTimestamp(scheme) ? [recentTimestampCheck] : []),
  ];
}

const rotationExplanation =
  'Your receiver rejects a header with two signatures. During a rotation there is one for each secret: accept the delivery if any of them matches.';

const rotationChecks = [
  createAcceptedCheck({
    id: 'signature.rotated-first',
    sent: 'the valid signature, followed by one made with another secret',
    explanation: rotationExplanation,
    create: (factory) =>
      factory.sign(factory.createBody(), { secrets: [factory.secret, createWebhookSecret()] }),
  }),
  createAcceptedCheck({
    id: 'signature.rotated-last',
    sent: 'the valid signature, preceded by one made with another secret',
    explanation: rotationExplanation,
    create: (factory) =>
      factory.sign(factory.createBody(), { secrets: [createWebhookSecret(), factory.secret] }),
  }),
];

/** The API key is not the endpoint secret (§5.7). */
function createApiKeyCheck(apiKey: string | null): ReceiverCheck {
  const check = { id: 'signature.api-key', sent: 'a delivery signed with the API key' } as const;
  if (apiKey === null) {
    const outcome = notObservable('', 'Pass --api-key with a key that your receiver has.');
    return { ...check, run: async () => outcome };
  }
  return createRejectedCheck({
    ...check,
    explanation:
      'Your receiver accepts a signature made with the API key. Verify with the endpoint secret only.',
    create: (factory) => factory.sign(factory.createBody(), { secrets: [apiKey] }),
  });
}

const recentTimestampCheck = createAcceptedCheck({
  id: 'timestamp.recent',
  sent: 'a correctly signed delivery that is four minutes old',
  explanation:
    'Your receiver rejects a delivery that is four minutes old. Accept deliveries up to five minutes old, and check the clock of its machine.',
  create: (factory) => factory.sign(factory.createBody(), { ageMs: 4 * MINUTE_MS }),
});

/** Deliveries with an invalid signature or timestamp. Each differs from a valid delivery in one way. */
export function listTamperedDeliveries(scheme: SignatureScheme): readonly SingleDelivery[] {
  return [
    ...tamperedSignatures,
    ...(scheme.headers.timestamp === null ? [] : [missingTimestamp]),
    ...(hasTimestamp(scheme) ? [oldTimestamp] : []),
    ...(scheme.content.includes('{timestamp}') ? [replacedTimestamp] : []),
  ];
}

const tamperedSignatures: readonly SingleDelivery[] = [
  {
    id: 'signature.other-secret',
    sent: 'a delivery signed with another secret',
    explanation:
      'Your receiver accepts a signature made with another secret, so anyone can forge deliveries. Compute the signature with the endpoint secret and compare it with the header.',
    create: (factory) => factory.sign(factory.createBody(), { secrets: [createWebhookSecret()] }),
  },
  {
    id: 'signature.altered-body',
    sent: 'a delivery whose body was changed after signing',
    explanation: 'Your receiver accepts a changed body. Compute the signature over the body that arrived.',
    create: (factory) => ({ ...factory.createValid(), body: factory.createBody() }),
  },
  {
    id: 'signature.missing',
    sent: 'a delivery without a signature header',
    explanation:
      'Your receiver accepts a delivery without a signature. Reject it instead of skipping verification.',
    create: (factory) => withoutHeader(factory.createValid(), factory.scheme.headers.signature),
  },
  {
    id: 'signature.empty',
    sent: 'a delivery with an empty signature header',
    explanation: 'Your receiver accepts an empty signature. Reject it instead of skipping verification.',
    create: (factory) => withHeader(factory.createValid(), factory.scheme.headers.signature, ''),
  },
  {
    id: 'signature.blank',
    sent: 'a signature header without the digest',
    explanation: 'Your receiver accepts an empty digest. Compare whole signatures, including their length.',
    create: (factory) => withDigest(factory, () => ''),
  },
  {
    id: 'signature.truncated',
    sent: 'the first half of the valid signature',
    explanation:
      'Your receiver accepts part of a signature. Compare whole signatures, including their length.',
    create: (factory) => withDigest(factory, (digest) => digest.slice(0, digest.length / 2)),
  },
  {
    id: 'signature.prefixed',
    sent: 'the valid signature with extra characters in front',
    explanation:
      'Your receiver accepts a header that contains the signature anywhere. Compare whole signatures.',
    create: (factory) => withDigest(factory, (digest) => `0000${digest}`),
  },
  {
    id: 'signature.empty-body',
    sent: 'a delivery with the signature of an empty body',
    explanation:
      'Your receiver verifies an empty body, because a parser has already read it. Read the raw bytes first.',
    create: (factory) => ({ ...factory.sign(''), body: factory.createBody() }),
  },
];

const oldTimestamp: SingleDelivery = {
  id: 'timestamp.old',
  sent: 'a correctly signed delivery that is six minutes old',
  explanation:
    'Your receiver accepts an old delivery, so anyone who recorded it can send it again. Reject deliveries that are older than five minutes.',
  create: (factory) => factory.sign(factory.createBody(), { ageMs: STALE_AGE_MS }),
};

const replacedTimestamp: SingleDelivery = {
  id: 'timestamp.replaced',
  sent: 'an old delivery whose timestamp header was set to now',
  explanation:
    'Your receiver accepts a changed timestamp. Include the value of the timestamp header in the signed content.',
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

const missingTimestamp: SingleDelivery = {
  id: 'timestamp.missing',
  sent: 'a delivery without a timestamp header',
  explanation: 'Your receiver accepts a delivery without a timestamp. Reject it.',
  create: (factory) => withoutHeader(factory.createValid(), factory.scheme.headers.timestamp ?? ''),
};

function withDigest(factory: DeliveryFactory, changeDigest: (digest: string) => string): DeliveryMessage {
  const message = factory.createValid();
  const name = factory.scheme.headers.signature;
  const header = message.headers[name] ?? '';
  const [digest = ''] = parseSignatureHeader(factory.scheme, header).digests;
  return withHeader(
    message,
    name,
    header.replace(digest, () => changeDigest(digest)),
  );
}

function withHeader({ body, headers }: DeliveryMessage, name: string, value: string): DeliveryMessage {
  return { body, headers: { ...headers, [name]: value } };
}

function withoutHeader({ body, headers }: DeliveryMessage, name: string): DeliveryMessage {
  const { [name]: _, ...otherHeaders } = headers;
  return { body, headers: otherHeaders };
}
