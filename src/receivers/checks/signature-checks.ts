/** Verification of signatures (§6.2) and of their age (§6.3). */
import { MINUTE_MS } from '../../domain/duration.ts';
import type { SignatureScheme } from '../../signature/scheme.ts';
import { hasTimestamp } from '../../signature/schemes.ts';
import type { ReceiverCheck } from '../receiver-check.ts';
import { createOtherSecret, getTamperedDelivery, listAttacks } from '../tampered-deliveries.ts';
import { createAcceptedCheck, createRejectedCheck } from './create-check.ts';

export function listSignatureChecks(
  scheme: SignatureScheme,
  apiKey: string | null,
): readonly ReceiverCheck[] {
  const others = listAttacks(scheme).filter((attack) => attack !== 'forged');
  return [
    // A receiver that fails it verifies no signatures, so the other forged deliveries show nothing more.
    { ...createRejectedCheck(getTamperedDelivery('forged')), requires: [] },
    ...others.map((attack) => createRejectedCheck(getTamperedDelivery(attack))),
    // The API key is not the endpoint secret (§5.7).
    createRejectedCheck({
      id: 'signature.api-key',
      sent: 'a delivery signed with the API key',
      remedy: 'Verify with the endpoint secret only.',
      create: (factory, event) => factory.sign(event, { secrets: [apiKey ?? ''] }),
      findSkipReason: () =>
        apiKey === null ? 'To run this check, pass --api-key with a key that your receiver has.' : null,
    }),
    ...(scheme.header.separator === null ? [] : rotationChecks),
    ...(hasTimestamp(scheme) ? [recentTimestampCheck] : []),
  ];
}

const rotationChecks = (['first', 'last'] as const).map((position) =>
  createAcceptedCheck({
    id: `signature.rotated-${position}`,
    sent: `the valid signature, ${position === 'first' ? 'followed' : 'preceded'} by one made with another secret`,
    remedy:
      'During a rotation there is a signature for each secret. Accept the delivery if any of them matches.',
    create(factory, event) {
      const secrets = [factory.secret, createOtherSecret(factory)];
      return factory.sign(event, { secrets: position === 'first' ? secrets : secrets.toReversed() });
    },
  }),
);

const recentTimestampCheck = createAcceptedCheck({
  id: 'timestamp.recent',
  sent: 'a correctly signed delivery that is four minutes old',
  remedy: 'Accept deliveries up to five minutes old, and check the clock of the receiver.',
  create: (factory, event) => factory.sign(event, { ageMs: 4 * MINUTE_MS }),
});
