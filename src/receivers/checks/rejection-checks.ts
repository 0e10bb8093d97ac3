/** Rejection of invalid deliveries (§6.4). */
import { hasTimestamp } from '../../signature/schemes.ts';
import { type CheckSession, describePlay } from '../check-session.ts';
import { type CheckOutcome, failed, inconclusive, passed, type ReceiverCheck } from '../receiver-check.ts';
import { isAccepted, isRejected } from '../receiver-client.ts';
import type { PlayedStep } from '../sequence.ts';
import { listAttacks, OLD_DELIVERY_CHECK_ID, OTHER_SECRET_CHECK_ID } from '../tampered-deliveries.ts';
import { createSequenceCheck, deliver } from './create-check.ts';

export const rejectionChecks: readonly ReceiverCheck[] = [
  { id: 'rejection.status', sent: 'every kind of tampered delivery', run: checkStatus },
  createSequenceCheck({
    id: 'rejection.no-side-effect',
    sent: 'every kind of tampered delivery, then a valid one',
    steps(session) {
      const attacks = listAttackSteps(session);
      return [...attacks, { kind: 'deliver', event: attacks.length }];
    },
    fails: ['no-side-effect'],
  }),
  createSequenceCheck({
    id: 'rejection.same-event',
    // A receiver that accepts one of the others does not show whether it processes the genuine one.
    requires: [OTHER_SECRET_CHECK_ID, OLD_DELIVERY_CHECK_ID],
    sent: 'forged and old deliveries of an event, then the genuine one',
    steps: ({ factory }) => [
      { kind: 'attack', attack: 'forged', event: 0 },
      ...(hasTimestamp(factory.scheme) ? [{ kind: 'attack', attack: 'stale', event: 0 } as const] : []),
      deliver,
    ],
    fails: ['accepted', 'processed'],
    remedy:
      'Verify the signature and the age of a delivery before you look up {event_id} and mark it as seen. Otherwise anyone who knows the ID of an event can suppress it.',
  }),
];

/** Every kind of tampered delivery, each of another event. */
function listAttackSteps({ factory }: CheckSession): readonly PlayedStep[] {
  return listAttacks(factory.scheme).map((attack, event) => ({ kind: 'attack', attack, event }));
}

async function checkStatus(session: CheckSession): Promise<CheckOutcome> {
  const { record } = await session.check(listAttackSteps(session));
  const received = describePlay(record);
  const responses = record.exchanges.filter(({ isGenuine }) => !isGenuine).map(({ response }) => response);
  const others = responses.filter((response) => !isRejected(response));
  if (others.length === 0) return passed(received);
  // Which deliveries a receiver accepts is the result of other checks, with an explanation for each.
  if (others.length < responses.length && others.every(isAccepted)) {
    const meaning = 'Your receiver responds with 2xx to some of them. Other checks show which.';
    return inconclusive(received, meaning);
  }
  const problem = `Your receiver does not respond with 4xx to ${others.length} of ${responses.length} tampered deliveries.`;
  return failed(received, `${problem} Respond with 400 if verification fails, for any reason.`);
}
