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
  make(factory: DeliveryFactory): readonly DeliveryMessage[];
  send(messages: readonly DeliveryMessage[], context: CheckContext): Promise<readonly ReceiverResponse[]>;
  isCorrect(responses: readonly ReceiverResponse[]): boolean;
  readonly acceptsRateLimit?: true;
}

const inTurn = {
  async send(messages: readonly DeliveryMessage[], context: CheckContext) {
    const responses: ReceiverResponse[] = [];
    for (const message of messages) responses.push(await context.send(message));
    return responses;
  },
  isCorrect: (responses: readonly ReceiverResponse[]) => responses.every(isAccepted),
};

const atOnce = {
  send: (messages: readonly DeliveryMessage[], context: CheckContext) =>
    Promise.all(messages.map((message) => context.send(message))),
  // A receiver may reject the copies while it processes one.
  isCorrect: (responses: readonly ReceiverResponse[]) => responses.some(isAccepted),
  acceptsRateLimit: true,
} as const;

/** Sends the same `data.id` more than once (§6.6). */
export const deduplicationChecks: readonly ReceiverCheck[] = [
  createRepetitionCheck({
    id: 'deduplication.same-delivery',
    sent: 'the same delivery twice',
    make: (factory) => Array(2).fill(factory.createValid()),
    ...inTurn,
  }),
  createRepetitionCheck({
    id: 'deduplication.other-delivery',
    sent: 'the same event twice, in two deliveries',
    make(factory) {
      const body = factory.createBody();
      return [factory.sign(body), factory.sign(body)];
    },
    ...inTurn,
  }),
  createRepetitionCheck({
    id: 'deduplication.at-once',
    sent: `${COPIES_AT_ONCE} copies of a delivery at once`,
    make: (factory) => Array(COPIES_AT_ONCE).fill(factory.createValid()),
    ...atOnce,
  }),
];

function createRepetitionCheck({ make, send, isCorrect, ...check }: Repetition): ReceiverCheck {
  return {
    ...check,
    rule: 'deduplication',
    async run(context) {
      const act = () => send(make(context.deliveries), context);
      const effects = await context.getEffectCounter();
      if ('reason' in effects) {
        const responses = await act();
        return isCorrect(responses)
          ? notObservable(describeResponses(...responses), effects.reason)
          : refusal(responses);
      }
      const { result: responses, count } = await effects.measure(act);
      if (!isCorrect(responses)) return refusal(responses);
      const received = `${describeResponses(...responses)}, effects: ${count}`;
      if (count === 1) return passed(received, 'Your receiver processes the event once.');
      return count === 0
        ? failed(
            received,
            'Your receiver accepts the event but does not process it. A repeat must not undo the first delivery.',
          )
        : failed(
            received,
            'Your receiver processes the event more than once. Store each data.id, and look it up and store it in one atomic step.',
          );
    },
  };
}

function refusal(responses: readonly ReceiverResponse[]): CheckOutcome {
  return failed(
    describeResponses(...responses),
    'Your receiver rejects a repeat, so it is sent again for days. Respond with 2xx and do nothing.',
  );
}
