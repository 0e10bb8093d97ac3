import { MINUTE_MS } from '../../domain/duration.ts';
import { createWebhookSecret } from '../../domain/secret.ts';
import type { SignatureScheme } from '../../domain/signature/scheme.ts';
import { hasTimestamp } from '../../domain/signature/schemes.ts';
import type { ReceiverCheck, ReceiverRule } from '../receiver-check.ts';
import {
  listTamperedDeliveries,
  OTHER_SECRET_CHECK_ID,
  type TamperedDelivery,
} from '../tampered-deliveries.ts';
import { createAcceptedCheck, createRejectedCheck } from './single-delivery-check.ts';

/** Verification of signatures (§6.2) and of their age (§6.3). */
export function listSignatureChecks(
  scheme: SignatureScheme,
  apiKey: string | null,
): readonly ReceiverCheck[] {
  const listTampered = (rule: ReceiverRule) =>
    listTamperedDeliveries(scheme).filter(({ id }) => id.startsWith(`${rule}.`));
  return [
    ...(scheme.header.separator === null ? [] : rotationChecks),
    ...listTampered('signature').map(createSignatureCheck),
    createApiKeyCheck(apiKey),
    ...listTampered('timestamp').map(createTimestampCheck),
    ...(hasTimestamp(scheme) ? [recentTimestampCheck] : []),
  ];
}

/** A receiver that accepts the simplest forged delivery verifies no signatures, so the other forged ones show nothing more. */
const requiresVerification = { requires: [OTHER_SECRET_CHECK_ID] } as const;

function createSignatureCheck(delivery: TamperedDelivery): ReceiverCheck {
  const isSimplest = delivery.id === OTHER_SECRET_CHECK_ID;
  return { ...createTamperedCheck(delivery), ...(isSimplest ? {} : requiresVerification) };
}

/** A receiver that verifies no signatures can still check timestamps. */
function createTimestampCheck(delivery: TamperedDelivery): ReceiverCheck {
  return { ...createTamperedCheck(delivery), judgesByResponse: true };
}

function createTamperedCheck({ id, sent, explanation, create }: TamperedDelivery): ReceiverCheck {
  return createRejectedCheck({
    ...{ id, sent, explanation },
    create: (factory) => create(factory, factory.createBody()),
  });
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
    const meaning = 'To run this check, pass --api-key with a key that your receiver has.';
    return { ...check, sendsNothing: true, run: async () => ({ status: 'skipped', received: '', meaning }) };
  }
  return createRejectedCheck({
    ...check,
    ...requiresVerification,
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
