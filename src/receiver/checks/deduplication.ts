import type { Bench } from '../bench.ts';
import { type Check, failed, notObservable, passed, type Verdict } from '../check.ts';
import { type Answer, describeAnswers, isAccepted, type Message } from '../courier.ts';
import type { Forge } from '../forge.ts';

const COPIES_AT_ONCE = 10;

interface Repetition {
  readonly id: string;
  readonly sent: string;
  make(forge: Forge): readonly Message[];
  send(messages: readonly Message[], bench: Bench): Promise<readonly Answer[]>;
  areRight(answers: readonly Answer[]): boolean;
  readonly expectsLimits?: true;
}

const inTurn = {
  async send(messages: readonly Message[], bench: Bench) {
    const answers: Answer[] = [];
    for (const message of messages) answers.push(await bench.send(message));
    return answers;
  },
  areRight: (answers: readonly Answer[]) => answers.every(isAccepted),
};

const atOnce = {
  send: (messages: readonly Message[], bench: Bench) =>
    Promise.all(messages.map((message) => bench.send(message))),
  // While one is in work the others may be put off.
  areRight: (answers: readonly Answer[]) => answers.some(isAccepted),
  expectsLimits: true,
} as const;

/** The same `data.id` more than once (§6.6 of the service description). */
export const deduplicationChecks: readonly Check[] = [
  repetitionCheck({
    id: 'deduplication.same-delivery',
    sent: 'a delivery twice',
    make: (forge) => Array(2).fill(forge.genuine()),
    ...inTurn,
  }),
  repetitionCheck({
    id: 'deduplication.other-delivery',
    sent: 'an event twice, the second time as another delivery',
    make(forge) {
      const body = forge.createBody();
      return [forge.sign(body), forge.sign(body)];
    },
    ...inTurn,
  }),
  repetitionCheck({
    id: 'deduplication.at-once',
    sent: `${COPIES_AT_ONCE} copies of a delivery at once`,
    make: (forge) => Array(COPIES_AT_ONCE).fill(forge.genuine()),
    ...atOnce,
  }),
];

function repetitionCheck({ make, send, areRight, ...check }: Repetition): Check {
  return {
    ...check,
    rule: 'deduplication',
    async run(bench) {
      const act = () => send(make(bench.forge), bench);
      const effects = await bench.effects();
      if ('why' in effects) {
        const answers = await act();
        return areRight(answers) ? notObservable(describeAnswers(...answers), effects.why) : refusal(answers);
      }
      const { result: answers, count } = await effects.of(act);
      if (!areRight(answers)) return refusal(answers);
      const received = `${describeAnswers(...answers)}, effects: ${count}`;
      if (count === 1) return passed(received, 'It handles the event once.');
      return count === 0
        ? failed(received, 'It accepts the event and does nothing: the repeat must not undo the first.')
        : failed(
            received,
            'It handles the event more than once: keep each data.id, and look it up and keep it in one step.',
          );
    },
  };
}

function refusal(answers: readonly Answer[]): Verdict {
  return failed(
    describeAnswers(...answers),
    'What is not accepted is sent again for days: accept a repeat, and do nothing.',
  );
}
