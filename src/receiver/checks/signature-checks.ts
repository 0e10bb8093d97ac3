import { MINUTE_MS } from '../../domain/duration.ts';
import { createWebhookSecret } from '../../domain/secret.ts';
import type { SignatureScheme } from '../../domain/signature/scheme.ts';
import { hasTimestamp } from '../../domain/signature/schemes.ts';
import { notObservable, type ReceiverCheck, type ReceiverRule } from '../receiver-check.ts';
import { listTamperedDeliveries } from '../tampered-deliveries.ts';
import { createAcceptedCheck, createRejectedCheck } from './single-delivery-check.ts';

/** Whom a receiver believes (§6.2), and how long (§6.3 of the service description). */
export function listSignatureChecks(
  scheme: SignatureScheme,
  apiKey: string | null,
): readonly ReceiverCheck[] {
  const forgeries = listTamperedDeliveries(scheme);
  const refusals = (wanted: ReceiverRule) =>
    forgeries.filter(({ rule }) => rule === wanted).map(createRejectedCheck);
  return [
    ...(scheme.header.separator === null ? [] : rotationChecks),
    ...refusals('signature'),
    toApiKeyCheck(apiKey),
    ...refusals('timestamp'),
    ...(hasTimestamp(scheme) ? [recentCheck] : []),
  ];
}

const rotationFault =
  'While a secret is being rotated the header has a signature for each: one of them that fits is enough.';

const rotationChecks = [
  createAcceptedCheck({
    id: 'signature.rotated-first',
    rule: 'signature',
    sent: 'the right signature, and after it one made with another secret',
    explanation: rotationFault,
    create: (deliveryFactory) =>
      deliveryFactory.sign(deliveryFactory.createBody(), {
        secrets: [deliveryFactory.secret, createWebhookSecret()],
      }),
  }),
  createAcceptedCheck({
    id: 'signature.rotated-last',
    rule: 'signature',
    sent: 'the right signature, and before it one made with another secret',
    explanation: rotationFault,
    create: (deliveryFactory) =>
      deliveryFactory.sign(deliveryFactory.createBody(), {
        secrets: [createWebhookSecret(), deliveryFactory.secret],
      }),
  }),
];

/** The API key and the secret of an endpoint are two things (§5.7). */
function toApiKeyCheck(apiKey: string | null): ReceiverCheck {
  const names = {
    id: 'signature.api-key',
    rule: 'signature',
    sent: 'a delivery signed with the API key',
  } as const;
  if (apiKey === null) {
    const checkOutcome = notObservable('', 'Pass --api-key with a key that the receiver knows.');
    return { ...names, run: async () => checkOutcome };
  }
  return createRejectedCheck({
    ...names,
    explanation: 'The API key is no secret of an endpoint: verify with the secret alone.',
    create: (deliveryFactory) => deliveryFactory.sign(deliveryFactory.createBody(), { secrets: [apiKey] }),
  });
}

const recentCheck = createAcceptedCheck({
  id: 'timestamp.recent',
  rule: 'timestamp',
  sent: 'a delivery that is rightly signed and four minutes old',
  explanation:
    'It rejects what is not too old: deliveries count for five minutes. Is the clock of its machine right?',
  create: (deliveryFactory) => deliveryFactory.sign(deliveryFactory.createBody(), { ageMs: 4 * MINUTE_MS }),
});
