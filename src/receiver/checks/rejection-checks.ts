import { createWebhookSecret } from '../../domain/secret.ts';
import { hasTimestamp } from '../../domain/signature/schemes.ts';
import { type CheckContext, readEventId } from '../check-context.ts';
import type { DeliveryFactory } from '../delivery-factory.ts';
import { type CheckOutcome, failed, inconclusive, passed, type ReceiverCheck } from '../receiver-check.ts';
import {
  type DeliveryMessage,
  describeResponses,
  isAccepted,
  isRejected,
  type ReceiverResponse,
} from '../receiver-client.ts';
import {
  listTamperedDeliveries,
  OLD_DELIVERY_CHECK_ID,
  OTHER_SECRET_CHECK_ID,
  STALE_AGE_MS,
} from '../tampered-deliveries.ts';
import { UNKNOWN_FIELD_NAME } from './robustness-checks.ts';
import { createSideEffectCheck } from './side-effect-check.ts';

/** Rejection of invalid deliveries (§6.4). */
export const rejectionChecks: readonly ReceiverCheck[] = [
  {
    id: 'rejection.status',
    sent: 'every kind of tampered delivery',
    run: checkStatus,
  },
  {
    id: 'rejection.no-side-effect',
    sent: 'every kind of tampered delivery, then a valid one',
    countsSideEffects: true,
    run: checkSideEffects,
  },
  createSideEffectCheck({
    id: 'rejection.same-event',
    // A receiver that accepts one of the others does not show whether it processes the genuine one.
    requires: [OTHER_SECRET_CHECK_ID, OLD_DELIVERY_CHECK_ID],
    sent: 'forged and old deliveries of an event, then the genuine one',
    send: sendSameEvent,
    judgeResponses: (responses) => (isLastAccepted(responses) ? null : MARKED_EXPLANATION),
    judgeCount: (count) => (count > 0 ? null : MARKED_EXPLANATION),
    meaning: 'Your receiver processes the genuine delivery.',
  }),
];

async function checkStatus(context: CheckContext): Promise<CheckOutcome> {
  const responses = await context.sendTampered(...createTamperedDeliveries(context.deliveries));
  const received = describeResponses(...responses);
  const others = responses.filter((response) => !isAccepted(response));
  if (others.length === 0) {
    return failed(
      received,
      'Your receiver responds with 2xx to every tampered delivery. Respond with 4xx when verification fails.',
    );
  }
  if (!others.every(isRejected)) {
    return failed(
      received,
      'Your receiver does not respond with 4xx to every tampered delivery. Respond with 400 if verification fails, for any reason.',
    );
  }
  // Which deliveries a receiver accepts is the result of other checks, with an explanation for each.
  return others.length < responses.length
    ? inconclusive(received, `Your receiver responds with 2xx to some of them. ${ACCEPTED_HINT}`)
    : passed(received, 'Your receiver rejects them with a client error.');
}

async function checkSideEffects(context: CheckContext): Promise<CheckOutcome> {
  const sideEffects = await context.getSideEffectCounter();
  if ('reason' in sideEffects) return inconclusive('', sideEffects.reason);
  const valid = context.deliveries.createValid();
  const { result: responses, count } = await sideEffects.measure(async () => [
    ...(await context.sendTampered(...createTamperedDeliveries(context.deliveries))),
    await context.send(valid),
  ]);
  const acceptedCount = responses.filter(isAccepted).length;
  const received = `${acceptedCount} accepted, side effects: ${count}`;
  if (count === 0) return inconclusive(received, 'The valid delivery had no side effect in time either.');
  const tamperedCount = count - (sideEffects.countOf(readEventId(valid)) ?? 1);
  if (tamperedCount === 0) return passed(received, 'Only the valid delivery has a side effect.');
  const tamperedResponses = responses.slice(0, -1);
  const hasRejected = !tamperedResponses.every(isAccepted);
  return failed(
    received,
    hasRejected && tamperedCount > tamperedResponses.filter(isAccepted).length
      ? 'Your receiver processes deliveries that it rejects. Verify a delivery before you do anything else.'
      : `Your receiver processes tampered deliveries. ${ACCEPTED_HINT}`,
  );
}

const ACCEPTED_HINT = 'The checks of the rules signature and timestamp show which ones it accepts.';

const MARKED_EXPLANATION =
  'Your receiver marks an event as seen before it verifies the delivery, so anyone who knows the ID of an event can suppress it. Verify the signature and the age of the delivery first, and then look up data.id.';

/** Sends rejected deliveries of an event, which must not change how the genuine one is processed. */
async function sendSameEvent(context: CheckContext): Promise<readonly ReceiverResponse[]> {
  const { deliveries } = context;
  const id = deliveries.createEventId();
  const forgedBody = deliveries.createBody({ id, fields: { [UNKNOWN_FIELD_NAME]: 'forged' } });
  const genuineBody = deliveries.createBody({ id });
  const tampered = await context.sendTampered(
    deliveries.sign(forgedBody, { secrets: [createWebhookSecret(deliveries.scheme.key)] }),
    ...(hasTimestamp(deliveries.scheme) ? [deliveries.sign(genuineBody, { ageMs: STALE_AGE_MS })] : []),
  );
  return [...tampered, await context.send(deliveries.sign(genuineBody))];
}

function isLastAccepted(responses: readonly ReceiverResponse[]): boolean {
  const last = responses.at(-1);
  return last !== undefined && isAccepted(last);
}

function createTamperedDeliveries(factory: DeliveryFactory): DeliveryMessage[] {
  return listTamperedDeliveries(factory.scheme).map(({ create }) => create(factory, factory.createBody()));
}
