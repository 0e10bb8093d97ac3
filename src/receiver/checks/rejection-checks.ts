import type { SignatureScheme } from '../../domain/signature/scheme.ts';
import type { CheckContext } from '../check-context.ts';
import { type CheckOutcome, failed, notObservable, passed, type ReceiverCheck } from '../receiver-check.ts';
import { describeResponses, isAccepted, isRejected, type ReceiverResponse } from '../receiver-client.ts';
import { listTamperedDeliveries, type TamperedDelivery } from '../tampered-deliveries.ts';

/** What a receiver does with what it does not believe (§6.4 of the service description). */
export function listRejectionChecks(scheme: SignatureScheme): readonly ReceiverCheck[] {
  const forgeries = listTamperedDeliveries(scheme);
  return [
    {
      id: 'rejection.status',
      rule: 'rejection',
      sent: 'every kind of forged delivery',
      run: async (checkContext) => judgeStatus(await sendEach(forgeries, checkContext)),
    },
    {
      id: 'rejection.no-effect',
      rule: 'rejection',
      sent: 'every kind of forged delivery, and a genuine one after them',
      run: (checkContext) => judgeEffects(forgeries, checkContext),
    },
  ];
}

/** A forgery that is accepted breaks another rule: here, only what is not accepted counts. */
function judgeStatus(answers: readonly ReceiverResponse[]): CheckOutcome {
  const refusals = answers.filter((receiverResponse) => !isAccepted(receiverResponse));
  if (refusals.length === 0) return notObservable(describeResponses(...answers), 'It accepts them all.');
  const received = describeResponses(...refusals);
  return refusals.every(isRejected)
    ? passed(received, 'Rejected with a client error.')
    : failed(received, 'What does not verify is to be answered with 4xx (400), whatever is wrong with it.');
}

async function judgeEffects(
  forgeries: readonly TamperedDelivery[],
  checkContext: CheckContext,
): Promise<CheckOutcome> {
  const effects = await checkContext.effects();
  if ('why' in effects) return notObservable('', effects.why);
  const { result: answers, count } = await effects.measure(async () => [
    ...(await sendEach(forgeries, checkContext)),
    await checkContext.send(checkContext.deliveries.createValid()),
  ]);
  const accepted = answers.filter(isAccepted).length;
  const received = `${accepted} accepted, effects: ${count}`;
  if (count === 0) return notObservable(received, 'Not even the genuine one had an effect in time.');
  return count > accepted
    ? failed(received, 'It processes deliveries that it rejects: verify first, and do nothing before.')
    : passed(received, 'What it rejects has no effect.');
}

async function sendEach(
  forgeries: readonly TamperedDelivery[],
  checkContext: CheckContext,
): Promise<ReceiverResponse[]> {
  const answers: ReceiverResponse[] = [];
  for (const { create } of forgeries) answers.push(await checkContext.send(create(checkContext.deliveries)));
  return answers;
}
