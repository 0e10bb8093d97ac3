import { formatDuration, MINUTE_MS, SECOND_MS } from '../../domain/duration.ts';
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
import { createSideEffectCheck, type SideEffectCheck } from './side-effect-check.ts';

const CONCURRENT_COPIES = 10;
/** A repeat during the work is sent after half of the work time, but at most after this time. */
const MAX_REPEAT_DELAY_MS = 5 * SECOND_MS;
const RETRY_INTERVAL_MS = 250;
/** More than two seconds, after which some caches forget an ID. */
const LATER_MS = 2_500;
/** More than a hundred, because some caches keep only the last hundred IDs. */
const OTHER_EVENTS = 110;
const OTHERS_AT_ONCE = 10;
const SIMILAR_IDS = 3;
const MISTAKEN_EXPLANATION =
  'Your receiver mistakes different events for duplicates, so it loses events. Compare the whole data.id, and check the length of the database column that stores it.';

/** Sends the same `data.id` more than once, and different ones that are similar (§6.6). */
export const deduplicationChecks: readonly ReceiverCheck[] = [
  createRepetitionCheck({
    id: 'deduplication.same-delivery',
    sent: 'the same delivery twice',
    send: (context) => sendUntilAccepted(Array(2).fill(context.deliveries.createValid()), context),
  }),
  createRepetitionCheck({
    id: 'deduplication.other-delivery',
    sent: 'the same event twice, in two deliveries a minute apart',
    send(context) {
      const { deliveries } = context;
      const body = deliveries.createBody();
      // Another timestamp has another signature, so a receiver that deduplicates by the signature processes the event twice.
      return sendUntilAccepted([deliveries.sign(body, { ageMs: MINUTE_MS }), deliveries.sign(body)], context);
    },
  }),
  createRepetitionCheck({
    id: 'deduplication.at-once',
    sent: `${CONCURRENT_COPIES} copies of a delivery at once`,
    acceptsRateLimit: true,
    isConcurrent: true,
    send(context) {
      const message = context.deliveries.createValid();
      return Promise.all(Array.from({ length: CONCURRENT_COPIES }, () => context.send(message)));
    },
  }),
  // Finds receivers that deduplicate only with a lock held during the request, or with a job ID that is free again once a worker
  // takes the job.
  createRepetitionCheck({
    id: 'deduplication.during-work',
    sent: 'a delivery, and a duplicate while your receiver is working',
    needsCount: true,
    isConcurrent: true,
    repeated:
      'Your receiver processes an event again if a duplicate arrives while the first is being processed. Store data.id before the work starts, in the same step in which you look it up.',
    async send(context, workMs) {
      const message = context.deliveries.createValid();
      const first = context.send(message);
      await context.sleep(Math.min(MAX_REPEAT_DELAY_MS, workMs / 2));
      return Promise.all([first, context.send(message)]);
    },
  }),
  createSideEffectCheck({
    id: 'deduplication.similar-ids',
    sent: 'three events whose IDs differ in one character',
    needsCount: true,
    send: (context) =>
      context.sendInOrder(
        listSimilarIds(context.deliveries).map((id) => context.deliveries.createValid({ id })),
      ),
    judgeResponses: (responses) => (responses.every(isAccepted) ? null : MISTAKEN_EXPLANATION),
    judgeCount: (count) => (count >= SIMILAR_IDS ? null : MISTAKEN_EXPLANATION),
    meaning: 'Your receiver processes each of the events.',
  }),
  createSideEffectCheck({
    id: 'deduplication.later',
    sent: 'a delivery, and a duplicate more than two seconds later',
    counted: 'the duplicate',
    needsCount: true,
    async send(context) {
      const { message, respondedAt } = context.firstDelivery as FirstDelivery;
      await context.sleep(Math.max(0, respondedAt + LATER_MS - performance.now()));
      return [await context.send(message)];
    },
    judgeResponses: () => null,
    judgeCount: (count) =>
      count === 0
        ? null
        : 'Your receiver processes an event again if a duplicate arrives seconds later. Keep each data.id for at least 72 hours, because deliveries are retried for that long.',
    meaning: 'The duplicate has no side effect.',
  }),
  {
    id: 'deduplication.after-others',
    sent: `a delivery, ${OTHER_EVENTS} others, and a duplicate of the first`,
    acceptsRateLimit: true,
    countsSideEffects: true,
    run: checkRepeatAfterOthers,
  },
];

interface Repetition
  extends Pick<SideEffectCheck, 'id' | 'sent' | 'acceptsRateLimit' | 'needsCount' | 'send'> {
  /** Whether copies arrive while one is processed. The receiver may reject them then. */
  readonly isConcurrent?: true;
  /** What it means if the event has several side effects, and what to do. */
  readonly repeated?: string;
}

function createRepetitionCheck({
  isConcurrent,
  repeated = 'Your receiver processes the event more than once. Look up and store each data.id in one atomic step.',
  ...check
}: Repetition): ReceiverCheck {
  return createSideEffectCheck({
    ...check,
    judgeResponses(responses) {
      if (isConcurrent ? responses.some(isAccepted) : responses.every(isAccepted)) return null;
      return responses.some(isAccepted)
        ? 'Your receiver rejects a duplicate, so the service retries it for days. Respond with 2xx and do nothing.'
        : 'Your receiver rejects a correctly signed delivery. Respond with 2xx after you have stored it.';
    },
    judgeCount(count) {
      if (count === 1) return null;
      return count === 0
        ? 'Your receiver accepts the event but does not process it. Process the first delivery, and ignore later ones with the same data.id.'
        : repeated;
    },
    meaning: 'Your receiver processes the event once.',
  });
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

function listSimilarIds(deliveries: DeliveryFactory): readonly string[] {
  const id = deliveries.createEventId();
  // The second character of the ULID: the first one can only be 0 to 7.
  const secondCharacter = id.indexOf('_') + 2;
  return [id, changeCharacter(id, id.length - 1), changeCharacter(id, secondCharacter)];
}

function changeCharacter(text: string, index: number): string {
  return text.slice(0, index) + (text[index] === '0' ? '1' : '0') + text.slice(index + 1);
}

async function checkRepeatAfterOthers(context: CheckContext): Promise<CheckOutcome> {
  const sideEffects = await context.getSideEffectCounter();
  if ('reason' in sideEffects) return inconclusive('', sideEffects.reason);
  const message = context.deliveries.createValid();
  const first = await context.send(message);
  if (!isAccepted(first)) {
    return inconclusive(describeResponses(first), 'Your receiver does not accept the first delivery.');
  }
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
  const { result: duplicate, count } = await sideEffects.measure(() => context.send(message));
  const received = `${describeResponses(first, duplicate)}, side effects of the duplicate: ${count}`;
  return count > 0
    ? failed(
        received,
        `Your receiver processes an event again if a duplicate arrives after ${OTHER_EVENTS} other events. Keep each data.id for at least 72 hours, in a database, not in a size-limited cache.`,
      )
    : passed(received, 'The duplicate has no side effect.');
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
