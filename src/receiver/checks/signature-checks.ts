import { MINUTE_MS } from '../../domain/duration.ts';
import { createWebhookSecret } from '../../domain/secret.ts';
import type { SignatureScheme } from '../../domain/signature/scheme.ts';
import { hasTimestamp } from '../../domain/signature/schemes.ts';
import { notObservable, type ReceiverCheck, type ReceiverRule } from '../receiver-check.ts';
import { listTamperedDeliveries } from '../tampered-deliveries.ts';
import { createAcceptedCheck, createRejectedCheck } from './single-delivery-check.ts';

/** Verification of signatures (§6.2) and of their age (§6.3). */
export function listSignatureChecks(
  scheme: SignatureScheme,
  apiKey: string | null,
): readonly ReceiverCheck[] {
  const tampered = listTamperedDeliveries(scheme);
  const rejections = (wanted: ReceiverRule) =>
    tampered.filter(({ rule }) => rule === wanted).map(createRejectedCheck);
  return [
    ...(scheme.header.separator === null ? [] : rotationChecks),
    ...rejections('signature'),
    toApiKeyCheck(apiKey),
    ...rejections('timestamp'),
    ...(hasTimestamp(scheme) ? [recentCheck] : []),
  ];
}

const rotationExplanation =
  'Your receiver rejects a header with two signatures. During a rotation there is one for each secret: accept the delivery if any of them matches.';

const rotationChecks = [
  createAcceptedCheck({
    id: 'signature.rotated-first',
    rule: 'signature',
    sent: 'the valid signature, followed by one made with another secret',
    explanation: rotationExplanation,
    create: (factory) =>
      factory.sign(factory.createBody(), {
        secrets: [factory.secret, createWebhookSecret()],
      }),
  }),
  createAcceptedCheck({
    id: 'signature.rotated-last',
    rule: 'signature',
    sent: 'the valid signature, preceded by one made with another secret',
    explanation: rotationExplanation,
    create: (factory) =>
      factory.sign(factory.createBody(), {
        secrets: [createWebhookSecret(), factory.secret],
      }),
  }),
];

/** The API key is not the endpoint secret (§5.7). */
function toApiKeyCheck(apiKey: string | null): ReceiverCheck {
  const common = {
    id: 'signature.api-key',
    rule: 'signature',
    sent: 'a delivery signed with the API key',
  } as const;
  if (apiKey === null) {
    const outcome = notObservable('', 'Pass --api-key with a key that your receiver has.');
    return { ...common, run: async () => outcome };
  }
  return createRejectedCheck({
    ...common,
    explanation:
      'Your receiver accepts a signature made with the API key. Verify with the endpoint secret only.',
    create: (factory) => factory.sign(factory.createBody(), { secrets: [apiKey] }),
  });
}

const recentCheck = createAcceptedCheck({
  id: 'timestamp.recent',
  rule: 'timestamp',
  sent: 'a correctly signed delivery that is four minutes old',
  explanation:
    'Your receiver rejects a delivery that is four minutes old. Accept deliveries up to five minutes old, and check the clock of its machine.',
  create: (factory) => factory.sign(factory.createBody(), { ageMs: 4 * MINUTE_MS }),
});
