import { MINUTE_MS, SECOND_MS } from '../../domain/duration.ts';
import { createWebhookSecret } from '../../domain/secret.ts';
import type { SignatureScheme } from '../../domain/signature/scheme.ts';
import { hasTimestamp } from '../../domain/signature/schemes.ts';
import { parseSignatureHeader } from '../../domain/signature/signature-header.ts';
import type { DeliveryFactory } from '../delivery-factory.ts';
import { notObservable, type ReceiverCheck, type ReceiverRule } from '../receiver-check.ts';
import type { DeliveryMessage } from '../receiver-client.ts';
import { createAcceptedCheck, createRejectedCheck, type SingleDelivery } from './single-delivery-check.ts';

/** One minute more than the tolerance, and a margin, because the receiver's clock is known only to about a second. */
export const STALE_AGE_MS = 6 * MINUTE_MS + 10 * SECOND_MS;
/** Ten seconds more than the tolerance. */
const SLIGHTLY_STALE_AGE_MS = 5 * MINUTE_MS + 10 * SECOND_MS;
/** Two minutes more than the tolerance, so that an age that is rounded to minutes is too large too. */
const FUTURE_AGE_MS = -7 * MINUTE_MS;

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
    ...(scheme.header.prefix === '' ? [] : [createUnversioned(scheme)]),
    ...(/\d/.test(scheme.header.prefix) ? [createOtherVersion(scheme)] : []),
    // Base64 decoders, including those of correct receivers, ignore what follows the padding.
    ...(scheme.encoding === 'hex' ? [suffixedSignature] : []),
    ...(scheme.headers.timestamp === null ? [] : [missingTimestamp]),
    ...(hasTimestamp(scheme) ? [oldTimestamp, slightlyOldTimestamp, unreadableTimestamp] : []),
    // The libraries of Stripe, which sends the timestamp in this field, accept a timestamp from the future.
    ...(hasTimestamp(scheme) && scheme.header.timestampField === null ? [futureTimestamp] : []),
    ...(scheme.content.includes('{timestamp}') ? [replacedTimestamp, unsignedTimestamp] : []),
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

const suffixedSignature: SingleDelivery = {
  id: 'signature.suffixed',
  sent: 'the valid signature, followed by other characters',
  explanation:
    'Your receiver ignores characters after the signature, as hex decoders such as Buffer.from do. Compare whole signatures, including their length, as text.',
  create: (factory) => withDigest(factory, (digest) => `${digest}zz`),
};

function createUnversioned({ header: { prefix } }: SignatureScheme): SingleDelivery {
  return {
    id: 'signature.no-version',
    sent: `the valid signature without ${prefix}`,
    explanation: `Your receiver accepts a signature without its version. Accept only signatures that start with ${prefix}, because other versions can be weaker.`,
    create: (factory) => withSignature(factory, (signature) => signature.slice(prefix.length)),
  };
}

function createOtherVersion({ header: { prefix } }: SignatureScheme): SingleDelivery {
  const otherPrefix = prefix.replace(/\d+/, (version) => (Number(version) === 0 ? '1' : '0'));
  return {
    id: 'signature.other-version',
    sent: `the valid signature with ${otherPrefix} instead of ${prefix}`,
    explanation: `Your receiver ignores the version of a signature. Accept only signatures that start with ${prefix}, because other versions can be weaker.`,
    create: (factory) => withSignature(factory, (signature) => otherPrefix + signature.slice(prefix.length)),
  };
}

const oldTimestamp: SingleDelivery = {
  id: 'timestamp.old',
  sent: 'a correctly signed delivery that is six minutes old',
  explanation:
    'Your receiver accepts an old delivery, so anyone who recorded it can send it again. Reject deliveries that are older than five minutes.',
  create: (factory) => factory.sign(factory.createBody(), { ageMs: STALE_AGE_MS }),
};

const slightlyOldTimestamp: SingleDelivery = {
  id: 'timestamp.slightly-old',
  sent: 'a correctly signed delivery that is 5 min 10 s old',
  explanation:
    'Your receiver accepts a delivery that is more than five minutes old. Compare the exact age with 300 seconds, without rounding it to minutes, and check the clock of its machine.',
  create: (factory) => factory.sign(factory.createBody(), { ageMs: SLIGHTLY_STALE_AGE_MS }),
};

const futureTimestamp: SingleDelivery = {
  id: 'timestamp.future',
  sent: 'a correctly signed delivery from seven minutes in the future',
  explanation:
    'Your receiver accepts a timestamp in the future, so anyone who recorded the delivery can send it again for longer than five minutes. Compare the absolute value of the age.',
  create: (factory) => factory.sign(factory.createBody(), { ageMs: FUTURE_AGE_MS }),
};

const unreadableTimestamp: SingleDelivery = {
  id: 'timestamp.unreadable',
  sent: 'a correctly signed delivery with "not-a-time" as its timestamp',
  explanation:
    'Your receiver accepts a timestamp that it cannot read: a comparison with NaN, such as age > 300, is always false. Accept a delivery only if its age is a number and at most five minutes.',
  create: (factory) => factory.sign(factory.createBody(), { timestamp: 'not-a-time' }),
};

const unsignedTimestamp: SingleDelivery = {
  id: 'timestamp.unsigned',
  sent: 'a signature over the body, without the timestamp',
  explanation:
    'Your receiver accepts a signature that does not cover the timestamp, so anyone who recorded the delivery can send it again with a new timestamp. Accept only a signature over both.',
  create: (factory) => factory.withScheme({ ...factory.scheme, content: '{body}' }).createValid(),
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
  const { prefix } = factory.scheme.header;
  return withSignature(factory, (signature) => prefix + changeDigest(signature.slice(prefix.length)));
}

/** @param change gets the signature with its prefix */
function withSignature(factory: DeliveryFactory, change: (signature: string) => string): DeliveryMessage {
  const message = factory.createValid();
  const { header, headers } = factory.scheme;
  const text = message.headers[headers.signature] ?? '';
  const [digest = ''] = parseSignatureHeader(factory.scheme, text).digests;
  const signature = header.prefix + digest;
  return withHeader(
    message,
    headers.signature,
    text.replace(signature, () => change(signature)),
  );
}

function withHeader({ body, headers }: DeliveryMessage, name: string, value: string): DeliveryMessage {
  return { body, headers: { ...headers, [name]: value } };
}

function withoutHeader({ body, headers }: DeliveryMessage, name: string): DeliveryMessage {
  const { [name]: _, ...otherHeaders } = headers;
  return { body, headers: otherHeaders };
}
