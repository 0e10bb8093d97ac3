/** Verification of signatures (§6.2) and of their age (§6.3). */
import { MINUTE_MS } from '../../domain/duration.ts';
import type { AttackName } from '../../domain/variations.ts';
import type { SignatureScheme } from '../../signature/scheme.ts';
import { hasTimestamp } from '../../signature/schemes.ts';
import { countSideEffects, describePlay } from '../check-session.ts';
import { failed, passed, type ReceiverCheck } from '../receiver-check.ts';
import { isAccepted } from '../receiver-client.ts';
import type { PlayedStep } from '../sequence.ts';
import {
  createOtherSecret,
  getTamperedDelivery,
  listAttacks,
  NOT_PROCESSED_EXPLANATION,
  OTHER_SECRET_CHECK_ID,
} from '../tampered-deliveries.ts';
import { createAcceptedCheck, createRejectedCheck, createValid } from './create-check.ts';

export function listSignatureChecks(
  scheme: SignatureScheme,
  apiKey: string | null,
): readonly ReceiverCheck[] {
  const others = listAttacks(scheme).filter((attack) => attack !== 'forged');
  return [
    otherSecretCheck,
    ...others.map(createTamperedCheck),
    createApiKeyCheck(apiKey),
    ...(scheme.header.separator === null ? [] : rotationChecks),
    ...(hasTimestamp(scheme) ? [recentTimestampCheck] : []),
  ];
}

/** The simplest forged delivery. It is sent again with a valid one, whose side effect shows that the forged one had time for its own. */
const otherSecretCheck: ReceiverCheck = {
  id: OTHER_SECRET_CHECK_ID,
  sent: getTamperedDelivery('forged').sent,
  async run(session) {
    const { explanation } = getTamperedDelivery('forged');
    const forged: PlayedStep = { kind: 'attack', attack: 'forged', event: 0 };
    const { record } = await session.check([forged]);
    const received = describePlay(record);
    const [first] = record.exchanges;
    if (first === undefined || !isAccepted(first.response)) {
      session.forged = first?.response.status === 429 ? 'unknown' : 'rejected';
      return passed(received);
    }
    session.forged = 'acknowledged';
    if (session.unobservable !== null) return failed(received, explanation);
    const steps = [forged, { kind: 'deliver', event: 1 } as const];
    const observed = await session.check(steps, { observes: true }).catch((error: unknown) => {
      session.noteObserverProblem(error);
      return null;
    });
    const count = observed && countSideEffects(observed.record);
    const rules = observed?.violations.map(({ rule }) => rule) ?? [];
    if (count !== null && rules.includes('no-side-effect')) {
      session.forged = 'processed';
      return failed(`${received}, side effects: ${count - 1}`, explanation);
    }
    // Its side effect can be missing because that of the valid delivery, which was sent later, is missing too.
    if (count === null || rules.includes('processed')) return failed(received, explanation);
    return failed(`${received}, side effects: 0`, NOT_PROCESSED_EXPLANATION);
  },
};

/**
 * A receiver that accepts the simplest forged delivery verifies no signatures, so the other forged ones show nothing more. It can
 * still check timestamps.
 */
function createTamperedCheck(attack: AttackName): ReceiverCheck {
  const delivery = getTamperedDelivery(attack);
  return {
    ...createRejectedCheck(delivery),
    ...(delivery.id.startsWith('timestamp.')
      ? { judgesByResponse: true }
      : { requires: [OTHER_SECRET_CHECK_ID] }),
  };
}

/** The API key is not the endpoint secret (§5.7). */
function createApiKeyCheck(apiKey: string | null): ReceiverCheck {
  const check = { id: 'signature.api-key', sent: 'a delivery signed with the API key' } as const;
  if (apiKey === null) {
    const meaning = 'To run this check, pass --api-key with a key that your receiver has.';
    return { ...check, run: async () => ({ status: 'skipped', received: '', meaning }) };
  }
  return createRejectedCheck({
    ...check,
    requires: [OTHER_SECRET_CHECK_ID],
    explanation:
      'Your receiver accepts a signature made with the API key. Verify with the endpoint secret only.',
    create: (factory, event) => factory.sign(event, { secrets: [apiKey] }),
  });
}

const ROTATION_EXPLANATION =
  'Your receiver rejects a header with two signatures. During a rotation there is one for each secret: accept the delivery if any of them matches.';

const rotationChecks = [
  createAcceptedCheck({
    id: 'signature.rotated-first',
    sent: 'the valid signature, followed by one made with another secret',
    explanation: ROTATION_EXPLANATION,
    step: createValid((factory, event) =>
      factory.sign(event, { secrets: [factory.secret, createOtherSecret(factory)] }),
    ),
  }),
  createAcceptedCheck({
    id: 'signature.rotated-last',
    sent: 'the valid signature, preceded by one made with another secret',
    explanation: ROTATION_EXPLANATION,
    step: createValid((factory, event) =>
      factory.sign(event, { secrets: [createOtherSecret(factory), factory.secret] }),
    ),
  }),
];

const recentTimestampCheck = createAcceptedCheck({
  id: 'timestamp.recent',
  sent: 'a correctly signed delivery that is four minutes old',
  explanation:
    'Your receiver rejects a delivery that is four minutes old. Accept deliveries up to five minutes old, and check the clock of its machine.',
  step: createValid((factory, event) => factory.sign(event, { ageMs: 4 * MINUTE_MS })),
});
