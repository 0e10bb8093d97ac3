import { MINUTE_MS } from '../../domain/duration.ts';
import { createWebhookSecret } from '../../domain/secret.ts';
import type { SignatureScheme } from '../../domain/signature/scheme.ts';
import { isTimed } from '../../domain/signature/schemes.ts';
import { type Check, notObservable, type ReceiverRule } from '../check.ts';
import { listForgeries } from '../forgeries.ts';
import { acceptCheck, refuseCheck } from './deliveries.ts';

/** Whom a receiver believes (§6.2), and how long (§6.3 of the service description). */
export function listSignatureChecks(scheme: SignatureScheme, apiKey: string | null): readonly Check[] {
  const forgeries = listForgeries(scheme);
  const refusals = (wanted: ReceiverRule) => forgeries.filter(({ rule }) => rule === wanted).map(refuseCheck);
  return [
    ...(scheme.header.separator === null ? [] : rotationChecks),
    ...refusals('signature'),
    toApiKeyCheck(apiKey),
    ...refusals('timestamp'),
    ...(isTimed(scheme) ? [recentCheck] : []),
  ];
}

const rotationFault =
  'While a secret is being rotated the header has a signature for each: one of them that fits is enough.';

const rotationChecks = [
  acceptCheck({
    id: 'signature.rotated-first',
    rule: 'signature',
    sent: 'the right signature, and after it one made with another secret',
    fault: rotationFault,
    make: (forge) => forge.sign(forge.createBody(), { secrets: [forge.secret, createWebhookSecret()] }),
  }),
  acceptCheck({
    id: 'signature.rotated-last',
    rule: 'signature',
    sent: 'the right signature, and before it one made with another secret',
    fault: rotationFault,
    make: (forge) => forge.sign(forge.createBody(), { secrets: [createWebhookSecret(), forge.secret] }),
  }),
];

/** The API key and the secret of an endpoint are two things (§5.7). */
function toApiKeyCheck(apiKey: string | null): Check {
  const names = {
    id: 'signature.api-key',
    rule: 'signature',
    sent: 'a delivery signed with the API key',
  } as const;
  if (apiKey === null) {
    const verdict = notObservable('', 'Pass --api-key with a key that the receiver knows.');
    return { ...names, run: async () => verdict };
  }
  return refuseCheck({
    ...names,
    fault: 'The API key is no secret of an endpoint: verify with the secret alone.',
    make: (forge) => forge.sign(forge.createBody(), { secrets: [apiKey] }),
  });
}

const recentCheck = acceptCheck({
  id: 'timestamp.recent',
  rule: 'timestamp',
  sent: 'a delivery that is rightly signed and four minutes old',
  fault:
    'It rejects what is not too old: deliveries count for five minutes. Is the clock of its machine right?',
  make: (forge) => forge.sign(forge.createBody(), { ageMs: 4 * MINUTE_MS }),
});
