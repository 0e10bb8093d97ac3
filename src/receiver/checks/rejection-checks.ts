import type { CheckContext } from '../check-context.ts';
import { type CheckOutcome, failed, notObservable, passed, type ReceiverCheck } from '../receiver-check.ts';
import { type DeliveryMessage, describeResponses, isAccepted, isRejected } from '../receiver-client.ts';
import { listTamperedDeliveries } from './signature-checks.ts';

/** Rejection of invalid deliveries (§6.4). */
export const rejectionChecks: readonly ReceiverCheck[] = [
  { id: 'rejection.status', sent: 'every kind of tampered delivery', run: checkStatus },
  {
    id: 'rejection.no-effect',
    sent: 'every kind of tampered delivery, then a valid one',
    run: checkEffects,
  },
];

/** Accepting a tampered delivery breaks another rule, so only the responses to those that were not accepted count. */
async function checkStatus(context: CheckContext): Promise<CheckOutcome> {
  const responses = await context.sendInOrder(createTamperedDeliveries(context));
  const rejections = responses.filter((response) => !isAccepted(response));
  if (rejections.length === 0) {
    return notObservable(describeResponses(...responses), 'Your receiver accepts all of them.');
  }
  const received = describeResponses(...rejections);
  return rejections.every(isRejected)
    ? passed(received, 'Your receiver rejects them with a client error.')
    : failed(
        received,
        'Your receiver does not respond with 4xx to every tampered delivery. Respond with 400 if verification fails, for any reason.',
      );
}

async function checkEffects(context: CheckContext): Promise<CheckOutcome> {
  const effects = await context.getEffectCounter();
  if ('reason' in effects) return notObservable('', effects.reason);
  const { result: responses, count } = await effects.measure(() =>
    context.sendInOrder([...createTamperedDeliveries(context), context.deliveries.createValid()]),
  );
  const acceptedCount = responses.filter(isAccepted).length;
  const received = `${acceptedCount} accepted, effects: ${count}`;
  if (count === 0) return notObservable(received, 'The valid delivery had no effect in time either.');
  return count > acceptedCount
    ? failed(
        received,
        'Your receiver processes deliveries that it rejects. Verify a delivery before you do anything else.',
      )
    : passed(received, 'Deliveries that your receiver rejects have no effect.');
}

function createTamperedDeliveries({ deliveries }: CheckContext): DeliveryMessage[] {
  return listTamperedDeliveries(deliveries.scheme).map(({ create }) => create(deliveries));
}
