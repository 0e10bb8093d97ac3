import type { DeliveryFactory } from '../delivery-factory.ts';
import { type CheckOutcome, failed, notObservable, passed, type ReceiverCheck } from '../receiver-check.ts';
import {
  type DeliveryMessage,
  describeResponses,
  isAccepted,
  type ReceiverResponse,
} from '../receiver-client.ts';

const CONCURRENT_COPIES = 10;

interface Repetition extends Omit<ReceiverCheck, 'run'> {
  /** Whether to send all messages at once instead of in order. A receiver may then reject the copies while it processes one. */
  readonly isConcurrent: boolean;
  createMessages(factory: DeliveryFactory): readonly DeliveryMessage[];
}

/** Sends the same `data.id` more than once (§6.6). */
export const deduplicationChecks: readonly ReceiverCheck[] = [
  createRepetitionCheck({
    id: 'deduplication.same-delivery',
    sent: 'the same delivery twice',
    isConcurrent: false,
    createMessages: (factory) => Array(2).fill(factory.createValid()),
  }),
  createRepetitionCheck({
    id: 'deduplication.other-delivery',
    sent: 'the same event twice, in two deliveries',
    isConcurrent: false,
    createMessages(factory) {
      const body = factory.createBody();
      return [factory.sign(body), factory.sign(body)];
    },
  }),
  createRepetitionCheck({
    id: 'deduplication.at-once',
    sent: `${CONCURRENT_COPIES} copies of a delivery at once`,
    isConcurrent: true,
    acceptsRateLimit: true,
    createMessages: (factory) => Array(CONCURRENT_COPIES).fill(factory.createValid()),
  }),
];

function createRepetitionCheck({ isConcurrent, createMessages, ...check }: Repetition): ReceiverCheck {
  return {
    ...check,
    async run(context) {
      const send = () => {
        const messages = createMessages(context.deliveries);
        return isConcurrent
          ? Promise.all(messages.map((message) => context.send(message)))
          : context.sendInOrder(messages);
      };
      const isCorrect = (responses: readonly ReceiverResponse[]) =>
        isConcurrent ? responses.some(isAccepted) : responses.every(isAccepted);

      const effects = await context.getEffectCounter();
      if ('reason' in effects) {
        const responses = await send();
        return isCorrect(responses)
          ? notObservable(describeResponses(...responses), effects.reason)
          : createRejectionOutcome(responses);
      }
      const { result: responses, count } = await effects.measure(send);
      if (!isCorrect(responses)) return createRejectionOutcome(responses);
      const received = `${describeResponses(...responses)}, effects: ${count}`;
      if (count === 1) return passed(received, 'Your receiver processes the event once.');
      return failed(
        received,
        count === 0
          ? 'Your receiver accepts the event but does not process it. Process the first delivery, and ignore later ones with the same data.id.'
          : 'Your receiver processes the event more than once. Look up and store each data.id in one atomic step.',
      );
    },
  };
}

function createRejectionOutcome(responses: readonly ReceiverResponse[]): CheckOutcome {
  return failed(
    describeResponses(...responses),
    'Your receiver rejects a repeat, so it is sent again for days. Respond with 2xx and do nothing.',
  );
}
