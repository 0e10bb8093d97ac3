import type { CheckContext } from '../check-context.ts';
import type { DeliveryFactory } from '../delivery-factory.ts';
import { type CheckOutcome, failed, notObservable, passed, type ReceiverCheck } from '../receiver-check.ts';
import {
  type DeliveryMessage,
  describeResponses,
  isAccepted,
  type ReceiverResponse,
} from '../receiver-client.ts';

const COPIES_AT_ONCE = 10;

interface Repetition {
  readonly id: string;
  readonly sent: string;
  make(deliveryFactory: DeliveryFactory): readonly DeliveryMessage[];
  send(
    messages: readonly DeliveryMessage[],
    checkContext: CheckContext,
  ): Promise<readonly ReceiverResponse[]>;
  areRight(answers: readonly ReceiverResponse[]): boolean;
  readonly acceptsRateLimit?: true;
}

const inTurn = {
  async send(messages: readonly DeliveryMessage[], checkContext: CheckContext) {
    const answers: ReceiverResponse[] = [];
    for (const message of messages) answers.push(await checkContext.send(message));
    return answers;
  },
  areRight: (answers: readonly ReceiverResponse[]) => answers.every(isAccepted),
};

const atOnce = {
  send: (messages: readonly DeliveryMessage[], checkContext: CheckContext) =>
    Promise.all(messages.map((message) => checkContext.send(message))),
  // While one is in work the others may be put off.
  areRight: (answers: readonly ReceiverResponse[]) => answers.some(isAccepted),
  acceptsRateLimit: true,
} as const;

/** The same `data.id` more than once (§6.6 of the service description). */
export const deduplicationChecks: readonly ReceiverCheck[] = [
  repetitionCheck({
    id: 'deduplication.same-delivery',
    sent: 'a delivery twice',
    make: (deliveryFactory) => Array(2).fill(deliveryFactory.createValid()),
    ...inTurn,
  }),
  repetitionCheck({
    id: 'deduplication.other-delivery',
    sent: 'an event twice, the second time as another delivery',
    make(deliveryFactory) {
      const body = deliveryFactory.createBody();
      return [deliveryFactory.sign(body), deliveryFactory.sign(body)];
    },
    ...inTurn,
  }),
  repetitionCheck({
    id: 'deduplication.at-once',
    sent: `${COPIES_AT_ONCE} copies of a delivery at once`,
    make: (deliveryFactory) => Array(COPIES_AT_ONCE).fill(deliveryFactory.createValid()),
    ...atOnce,
  }),
];

function repetitionCheck({ make, send, areRight, ...check }: Repetition): ReceiverCheck {
  return {
    ...check,
    rule: 'deduplication',
    async run(checkContext) {
      const act = () => send(make(checkContext.deliveries), checkContext);
      const effects = await checkContext.effects();
      if ('why' in effects) {
        const answers = await act();
        return areRight(answers)
          ? notObservable(describeResponses(...answers), effects.why)
          : refusal(answers);
      }
      const { result: answers, count } = await effects.measure(act);
      if (!areRight(answers)) return refusal(answers);
      const received = `${describeResponses(...answers)}, effects: ${count}`;
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

function refusal(answers: readonly ReceiverResponse[]): CheckOutcome {
  return failed(
    describeResponses(...answers),
    'What is not accepted is sent again for days: accept a repeat, and do nothing.',
  );
}
