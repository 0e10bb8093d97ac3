import type { SignatureScheme } from '../../domain/signature/scheme.ts';
import type { Bench } from '../bench.ts';
import { type Check, failed, notObservable, passed, type Verdict } from '../check.ts';
import { type Answer, describeAnswers, isAccepted, isRejected } from '../courier.ts';
import { type Forgery, listForgeries } from '../forgeries.ts';

/** What a receiver does with what it does not believe (§6.4 of the service description). */
export function listRejectionChecks(scheme: SignatureScheme): readonly Check[] {
  const forgeries = listForgeries(scheme);
  return [
    {
      id: 'rejection.status',
      rule: 'rejection',
      sent: 'every kind of forged delivery',
      run: async (bench) => judgeStatus(await sendEach(forgeries, bench)),
    },
    {
      id: 'rejection.no-effect',
      rule: 'rejection',
      sent: 'every kind of forged delivery, and a genuine one after them',
      run: (bench) => judgeEffects(forgeries, bench),
    },
  ];
}

/** A forgery that is accepted breaks another rule: here, only what is not accepted counts. */
function judgeStatus(answers: readonly Answer[]): Verdict {
  const refusals = answers.filter((answer) => !isAccepted(answer));
  if (refusals.length === 0) return notObservable(describeAnswers(...answers), 'It accepts them all.');
  const received = describeAnswers(...refusals);
  return refusals.every(isRejected)
    ? passed(received, 'Rejected with a client error.')
    : failed(received, 'What does not verify is to be answered with 4xx (400), whatever is wrong with it.');
}

async function judgeEffects(forgeries: readonly Forgery[], bench: Bench): Promise<Verdict> {
  const effects = await bench.effects();
  if ('why' in effects) return notObservable('', effects.why);
  const { result: answers, count } = await effects.of(async () => [
    ...(await sendEach(forgeries, bench)),
    await bench.send(bench.forge.genuine()),
  ]);
  const accepted = answers.filter(isAccepted).length;
  const received = `${accepted} accepted, effects: ${count}`;
  if (count === 0) return notObservable(received, 'Not even the genuine one had an effect in time.');
  return count > accepted
    ? failed(received, 'It processes deliveries that it rejects: verify first, and do nothing before.')
    : passed(received, 'What it rejects has no effect.');
}

async function sendEach(forgeries: readonly Forgery[], bench: Bench): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const { make } of forgeries) answers.push(await bench.send(make(bench.forge)));
  return answers;
}
