import type { SignatureScheme } from '../../domain/signature/scheme.ts';
import type { CheckContext } from '../check-context.ts';
import { type CheckOutcome, failed, notObservable, passed, type ReceiverCheck } from '../receiver-check.ts';
import { describeResponses, isAccepted, isRejected, type ReceiverResponse } from '../receiver-client.ts';
import { listTamperedDeliveries, type TamperedDelivery } from '../tampered-deliveries.ts';

/** Rejection of invalid deliveries (§6.4). */
export function listRejectionChecks(scheme: SignatureScheme): readonly ReceiverCheck[] {
  const tampered = listTamperedDeliveries(scheme);
  return [
    {
      id: 'rejection.status',
      rule: 'rejection',
      sent: 'every kind of tampered delivery',
      run: async (context) => checkStatus(await sendEach(tampered, context)),
    },
    {
      id: 'rejection.no-effect',
      rule: 'rejection',
      sent: 'every kind of tampered delivery, then a valid one',
      run: (context) => checkEffects(tampered, context),
    },
  ];
}

/** Accepting a tampered delivery breaks another rule, so only deliveries that were not accepted count. */
function checkStatus(responses: readonly ReceiverResponse[]): CheckOutcome {
  const rejections = responses.filter((response) => !isAccepted(response));
  if (rejections.length === 0)
    return notObservable(describeResponses(...responses), 'Your receiver accepts all of them.');
  const received = describeResponses(...rejections);
  return rejections.every(isRejected)
    ? passed(received, 'Your receiver rejects them with a client error.')
    : failed(
        received,
        'Your receiver does not respond with 4xx to every tampered delivery. Respond with 400 if verification fails, for any reason.',
      );
}

async function checkEffects(
  tampered: readonly TamperedDelivery[],
  context: CheckContext,
): Promise<CheckOutcome> {
  const effects = await context.getEffectCounter();
  if ('reason' in effects) return notObservable('', effects.reason);
  const { result: responses, count } = await effects.measure(async () => [
    ...(await sendEach(tampered, context)),
    await context.send(context.deliveries.createValid()),
  ]);
  const accepted = responses.filter(isAccepted).length;
  const received = `${accepted} accepted, effects: ${count}`;
  if (count === 0) return notObservable(received, 'The valid delivery had no effect in time either.');
  return count > accepted
    ? failed(
        received,
        'Your receiver processes deliveries that it rejects. Verify a delivery before you do anything else.',
      )
    : passed(received, 'Deliveries that your receiver rejects have no effect.');
}

async function sendEach(
  tampered: readonly TamperedDelivery[],
  context: CheckContext,
): Promise<ReceiverResponse[]> {
  const responses: ReceiverResponse[] = [];
  for (const { create } of tampered) responses.push(await context.send(create(context.deliveries)));
  return responses;
}
