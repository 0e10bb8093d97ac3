import { formatDuration, SECOND_MS } from '../../domain/duration.ts';
import type { CheckContext, FirstDelivery } from '../check-context.ts';
import type { DeliveryFactory } from '../delivery-factory.ts';
import { type CheckOutcome, failed, inconclusive, passed, type ReceiverCheck } from '../receiver-check.ts';
import {
  type DeliveryMessage,
  describeResponses,
  isAccepted,
  MAX_CONFLICT_MS,
  type ReceiverResponse,
} from '../receiver-client.ts';
import type { SideEffectCounter } from '../side-effect-counter.ts';

const CONCURRENT_COPIES = 10;
/** A repeat during the work is sent after half of the work time, but at most after this time. */
const MAX_REPEAT_DELAY_MS = 5 * SECOND_MS;
const RETRY_INTERVAL_MS = 250;
/** More than two seconds, after which some caches forget an ID. */
const LATER_MS = 2_500;
/** More than a hundred, because some caches keep only the last hundred IDs. */
const OTHER_EVENTS = 110;
const OTHERS_AT_ONCE = 10;

interface Repetition extends Omit<ReceiverCheck, 'run'> {
  /** Whether messages are sent at the same time. A receiver may then reject the copies while it processes one. */
  readonly isConcurrent: boolean;
  createMessages(factory: DeliveryFactory): readonly DeliveryMessage[];
}

/** Sends the same `data.id` more than once, and different ones that are similar (§6.6). */
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
  createSideEffectCheck({
    id: 'deduplication.during-work',
    sent: 'a delivery, and a duplicate while your receiver is working',
    run: checkRepeatDuringWork,
  }),
  createSideEffectCheck({
    id: 'deduplication.similar-ids',
    sent: 'three events whose IDs differ in one character',
    run: checkSimilarIds,
  }),
  createSideEffectCheck({
    id: 'deduplication.later',
    sent: 'a delivery, and a duplicate more than two seconds later',
    run: checkLaterRepeat,
  }),
  createSideEffectCheck({
    id: 'deduplication.after-others',
    sent: `a delivery, ${OTHER_EVENTS} others, and a duplicate of the first`,
    acceptsRateLimit: true,
    run: checkRepeatAfterOthers,
  }),
];

function createRepetitionCheck({ isConcurrent, createMessages, ...check }: Repetition): ReceiverCheck {
  return {
    ...check,
    countsSideEffects: true,
    async run(context) {
      const send = () => {
        const messages = createMessages(context.deliveries);
        return isConcurrent
          ? Promise.all(messages.map((message) => context.send(message)))
          : sendUntilAccepted(messages, context);
      };
      const isCorrect = (responses: readonly ReceiverResponse[]) =>
        isConcurrent ? responses.some(isAccepted) : responses.every(isAccepted);

      const sideEffects = await context.getSideEffectCounter();
      if ('reason' in sideEffects) {
        const responses = await send();
        return isCorrect(responses)
          ? inconclusive(describeResponses(...responses), sideEffects.reason)
          : createRejectionOutcome(responses);
      }
      const { result: responses, count } = await sideEffects.measure(send);
      return isCorrect(responses) ? toRepetitionOutcome(responses, count) : createRejectionOutcome(responses);
    },
  };
}

/**
 * Sends each message after the response to the one before. Repeats the last one after 409, because the receiver may still work on
 * the first.
 */
async function sendUntilAccepted(
  messages: readonly DeliveryMessage[],
  context: CheckContext,
): Promise<readonly ReceiverResponse[]> {
  const responses = [...(await context.sendInOrder(messages))];
  const [last] = messages.slice(-1);
  const startedAt = performance.now();
  while (last !== undefined && performance.now() - startedAt < Math.min(MAX_CONFLICT_MS, context.timeoutMs)) {
    if (responses.at(-1)?.status !== 409) break;
    await context.sleep(RETRY_INTERVAL_MS);
    responses[responses.length - 1] = await context.send(last);
  }
  return responses;
}

function createRejectionOutcome(responses: readonly ReceiverResponse[]): CheckOutcome {
  return failed(
    describeResponses(...responses),
    responses.some(isAccepted)
      ? 'Your receiver rejects a duplicate, so the service retries it for days. Respond with 2xx and do nothing.'
      : 'Your receiver rejects a correctly signed delivery. Respond with 2xx after you have stored it.',
  );
}

function toRepetitionOutcome(responses: readonly ReceiverResponse[], count: number): CheckOutcome {
  const received = `${describeResponses(...responses)}, side effects: ${count}`;
  if (count === 1) return passed(received, 'Your receiver processes the event once.');
  return failed(
    received,
    count === 0
      ? 'Your receiver accepts the event but does not process it. Process the first delivery, and ignore later ones with the same data.id.'
      : 'Your receiver processes the event more than once. Look up and store each data.id in one atomic step.',
  );
}

interface SideEffectCheck extends Omit<ReceiverCheck, 'run'> {
  run(context: CheckContext, sideEffects: SideEffectCounter): Promise<CheckOutcome>;
}

/** Creates a check that only the side effects can decide, not the responses. It does not run if side effects cannot be counted. */
function createSideEffectCheck({ run, ...check }: SideEffectCheck): ReceiverCheck {
  return {
    ...check,
    countsSideEffects: true,
    async run(context) {
      const sideEffects = await context.getSideEffectCounter();
      return 'reason' in sideEffects ? inconclusive('', sideEffects.reason) : run(context, sideEffects);
    },
  };
}

/**
 * Finds receivers that deduplicate only with a lock held during the request, or with a job ID that is free again once a worker
 * takes the job.
 */
async function checkRepeatDuringWork(
  context: CheckContext,
  sideEffects: SideEffectCounter,
): Promise<CheckOutcome> {
  const { result: responses, count } = await sideEffects.measure(async () => {
    const message = context.deliveries.createValid();
    const first = context.send(message);
    await context.sleep(Math.min(MAX_REPEAT_DELAY_MS, sideEffects.workMs / 2));
    return Promise.all([first, context.send(message)]);
  });
  if (!responses.some(isAccepted)) return createRejectionOutcome(responses);
  const outcome = toRepetitionOutcome(responses, count);
  if (count < 2) return outcome;
  return failed(
    outcome.received,
    'Your receiver processes an event again if a duplicate arrives while the first is being processed. Store data.id before the work starts, in the same step in which you look it up.',
  );
}

async function checkSimilarIds(context: CheckContext, sideEffects: SideEffectCounter): Promise<CheckOutcome> {
  const { deliveries } = context;
  const id = deliveries.createEventId();
  // The second character of the ULID: the first one can only be 0 to 7.
  const secondCharacter = id.indexOf('_') + 2;
  const ids = [id, changeCharacter(id, id.length - 1), changeCharacter(id, secondCharacter)];
  const { result: responses, count } = await sideEffects.measure(() =>
    context.sendInOrder(ids.map((similarId) => deliveries.createValid({ id: similarId }))),
  );
  const received = `${describeResponses(...responses)}, side effects: ${count}`;
  return responses.every(isAccepted) && count >= ids.length
    ? passed(received, 'Your receiver processes each of the events.')
    : failed(
        received,
        'Your receiver mistakes different events for duplicates, so it loses events. Compare the whole data.id, and check the length of the database column that stores it.',
      );
}

function changeCharacter(text: string, index: number): string {
  return text.slice(0, index) + (text[index] === '0' ? '1' : '0') + text.slice(index + 1);
}

async function checkLaterRepeat(
  context: CheckContext,
  sideEffects: SideEffectCounter,
): Promise<CheckOutcome> {
  const { message, response, respondedAt } = context.firstDelivery as FirstDelivery;
  await context.sleep(Math.max(0, respondedAt + LATER_MS - performance.now()));
  return checkRepeatHasNoSideEffect(
    message,
    response,
    'Your receiver processes an event again if a duplicate arrives seconds later. Keep each data.id for at least 72 hours, because deliveries are retried for that long.',
    context,
    sideEffects,
  );
}

async function checkRepeatAfterOthers(
  context: CheckContext,
  sideEffects: SideEffectCounter,
): Promise<CheckOutcome> {
  const message = context.deliveries.createValid();
  const response = await context.send(message);
  const acceptedCount = await sendOthers(context);
  if (acceptedCount < OTHER_EVENTS) {
    return inconclusive(
      `${acceptedCount} of ${OTHER_EVENTS} accepted`,
      'Your receiver does not accept enough other deliveries.',
    );
  }
  const { isComplete } = await sideEffects.wait(context.timeoutMs);
  if (!isComplete) {
    return inconclusive(
      '',
      `Your receiver is still working on ${OTHER_EVENTS} events after ${formatDuration(context.timeoutMs)}. Make the work faster while this check runs.`,
    );
  }
  return checkRepeatHasNoSideEffect(
    message,
    response,
    `Your receiver processes an event again if a duplicate arrives after ${OTHER_EVENTS} other events. Keep each data.id for at least 72 hours, in a database, not in a size-limited cache.`,
    context,
    sideEffects,
  );
}

/** Sends new events, some at once, until enough are accepted, or the receiver accepts no more. @returns the number of accepted ones */
async function sendOthers(context: CheckContext): Promise<number> {
  let acceptedCount = 0;
  let size = OTHERS_AT_ONCE;
  while (acceptedCount < OTHER_EVENTS) {
    const sending = Array.from({ length: size }, () => context.send(context.deliveries.createValid()));
    const accepted = (await Promise.all(sending)).filter(isAccepted).length;
    acceptedCount += accepted;
    if (accepted === 0 || (context.isSlow && accepted < size)) break;
    // A receiver may accept only one delivery at a time.
    if (accepted < size) size = 1;
  }
  return acceptedCount;
}

/** Sends a delivery again, which must have no side effect if the first one was accepted. */
async function checkRepeatHasNoSideEffect(
  message: DeliveryMessage,
  firstResponse: ReceiverResponse,
  explanation: string,
  context: CheckContext,
  sideEffects: SideEffectCounter,
): Promise<CheckOutcome> {
  if (!isAccepted(firstResponse)) {
    return inconclusive(
      describeResponses(firstResponse),
      'Your receiver does not accept the first delivery.',
    );
  }
  const { result: response, count } = await sideEffects.measure(() => context.send(message));
  const received = `${describeResponses(firstResponse, response)}, side effects of the duplicate: ${count}`;
  return count > 0 ? failed(received, explanation) : passed(received, 'The duplicate has no side effect.');
}
