/** Events that are delivered again or at the same time (§6.6), and work that delays the response (§6.5). */
import { formatDuration, MINUTE_MS, SECOND_MS } from '../../domain/duration.ts';
import { getIdLocation } from '../../profile/senders.ts';
import type { SignedMessage } from '../delivery-factory.ts';
import { failed, passed, type ReceiverCheck } from '../receiver-check.ts';
import type { CustomStep, PlayedStep } from '../sequence.ts';
import { createSequenceCheck, createValid, deliver } from './create-check.ts';

const CONCURRENT_COPIES = 10;
/** A repeat during the work is sent after half of the work time, but at most after this time. */
const MAX_REPEAT_DELAY_MS = 5 * SECOND_MS;
/** More than two seconds, after which some caches forget an ID. */
const LATER_MS = 2_500;
/** More than a hundred, because some caches keep only the last hundred IDs. */
const OTHER_EVENTS = 110;
const CONCURRENT_DELIVERIES = 50;

const REPEATED_EXPLANATION =
  'Your receiver processes the event more than once. Look up and store each {event_id} in one atomic step.';
const UNPROCESSED_EXPLANATION =
  'Your receiver accepts the event but does not process it. Process the first delivery, and ignore later ones with the same {event_id}.';
const REFUSED_EXPLANATION =
  'Your receiver rejects a duplicate, so the service counts the delivery as failed. Respond with 2xx and do nothing.';
const MISTAKEN_EXPLANATION =
  'Your receiver mistakes different events for duplicates, so it loses events. Compare the whole {event_id}, and check the length of the database column that stores it.';
const LOAD_EXPLANATION =
  'Your receiver fails under many simultaneous deliveries. Accept new connections while it handles others, so that its listen backlog does not fill up. If it can handle fewer, respond with 429 or 503.';

/** The same message each time: another timestamp has another signature. @param ageMs as in `DeliveryFactory.sign` */
function createRepeated(ageMs?: number): CustomStep {
  let message: SignedMessage | undefined;
  return createValid((factory, event) => {
    message ??= factory.sign(event, ageMs === undefined ? {} : { ageMs });
    return message;
  });
}

/** The same message before and after a step. */
function between(step: PlayedStep): readonly PlayedStep[] {
  const repeated = createRepeated();
  return [repeated, step, repeated];
}

/** The same `data.id` more than once, and different ones that are similar (§6.6). */
const idChecks: readonly ReceiverCheck[] = [
  createSequenceCheck({
    id: 'deduplication.same-delivery',
    sent: 'the same delivery twice',
    steps: () => Array(2).fill(createRepeated()),
    sideEffects: 'useful',
    fails: { accepted: REFUSED_EXPLANATION, processed: UNPROCESSED_EXPLANATION, once: REPEATED_EXPLANATION },
  }),
  createSequenceCheck({
    id: 'deduplication.other-delivery',
    sent: 'the same event twice, in two deliveries a minute apart',
    // A receiver that deduplicates by the signature processes the event twice.
    steps: () => [createRepeated(MINUTE_MS), deliver],
    sideEffects: 'useful',
    fails: { accepted: REFUSED_EXPLANATION, processed: UNPROCESSED_EXPLANATION, once: REPEATED_EXPLANATION },
  }),
  createSequenceCheck({
    id: 'deduplication.at-once',
    sent: `${CONCURRENT_COPIES} copies of a delivery at once`,
    steps: () => {
      const repeated = createRepeated();
      const copies = Array<PlayedStep>(CONCURRENT_COPIES - 1).fill({ ...repeated, with_previous: true });
      return [repeated, ...copies];
    },
    sideEffects: 'useful',
    fails: { processed: UNPROCESSED_EXPLANATION, once: REPEATED_EXPLANATION },
  }),
  // Finds receivers that deduplicate only with a lock held during the request, or with a job ID that is free again once a worker
  // takes the job.
  createSequenceCheck({
    id: 'deduplication.during-work',
    sent: 'a delivery, and a duplicate while your receiver is working',
    steps: ({ observer }) =>
      between({ kind: 'pause', ms: Math.min(MAX_REPEAT_DELAY_MS, (observer?.slowestMs ?? 0) / 2) }),
    sideEffects: 'needed',
    fails: {
      processed: UNPROCESSED_EXPLANATION,
      once: 'Your receiver processes an event again if a duplicate arrives while the first is being processed. Store {event_id} before the work starts, in the same step in which you look it up.',
    },
  }),
  createSequenceCheck({
    id: 'deduplication.similar-ids',
    sent: 'three events whose IDs differ in one character',
    steps: () => [0, 1, 2].map((event) => ({ kind: 'deliver', event })),
    sideEffects: 'needed',
    fails: { accepted: MISTAKEN_EXPLANATION, processed: MISTAKEN_EXPLANATION },
  }),
  createSequenceCheck({
    id: 'deduplication.later',
    sent: 'a delivery, and a duplicate more than two seconds later',
    steps: () => between({ kind: 'pause', ms: LATER_MS }),
    sideEffects: 'needed',
    fails: {
      once: 'Your receiver processes an event again if a duplicate arrives seconds later. Keep each {event_id} for {retry_time}, in a database.',
    },
  }),
  createSequenceCheck({
    id: 'deduplication.after-others',
    sent: `a delivery, ${OTHER_EVENTS} others, and a duplicate of the first`,
    steps: () => between({ kind: 'burst', count: OTHER_EVENTS }),
    sideEffects: 'needed',
    fails: {
      once: `Your receiver processes an event again if a duplicate arrives after ${OTHER_EVENTS} other events. Keep each {event_id} for {retry_time}, in a database, not in a size-limited cache.`,
    },
  }),
];

export const deduplicationChecks = idChecks.map(
  (check): ReceiverCheck => ({
    ...check,
    findSkipReason: ({ options: { sender } }) =>
      getIdLocation(sender) === null
        ? `Deliveries of ${sender.name} have no event ID. If the body contains one, name its field with event_id of the sender. If a header does, set it to {id}.`
        : null,
  }),
);

export const loadCheck: ReceiverCheck = createSequenceCheck({
  id: 'robustness.at-once',
  sent: `${CONCURRENT_DELIVERIES} deliveries at once`,
  steps: () => [{ kind: 'burst', count: CONCURRENT_DELIVERIES }],
  sideEffects: 'ignored',
  fails: { accepted: LOAD_EXPLANATION, 'no-server-error': LOAD_EXPLANATION },
});

const SAMPLE_COUNT = 3;

/**
 * The response comes before the work (§6.5). Slow work shows in the response time, compared with a tampered delivery that causes no
 * work. The side effects do not show it: one that comes before a quick response is allowed, because it can be a row of a queue.
 */
export const beforeWorkCheck: ReceiverCheck = {
  id: 'acceptance.before-work',
  sent: `${SAMPLE_COUNT} valid deliveries and ${SAMPLE_COUNT} tampered ones`,
  async run(session) {
    const pairs = Array.from({ length: SAMPLE_COUNT }, (_, index): PlayedStep[] => [
      { kind: 'deliver', event: 2 * index },
      { kind: 'attack', attack: 'forged', event: 2 * index + 1 },
    ]);
    const { record } = await session.check(pairs.flat());
    // The shortest time has the least noise.
    const getQuickestMs = (isGenuine: boolean) => {
      const own = record.exchanges.filter((exchange) => exchange.isGenuine === isGenuine);
      return Math.min(...own.map(({ response }) => response.durationMs));
    };
    const [acceptedMs, rejectedMs] = [getQuickestMs(true), getQuickestMs(false)];
    const received = `response after ${formatDuration(acceptedMs)}, or ${formatDuration(rejectedMs)} for a tampered delivery`;
    return acceptedMs - rejectedMs < session.slowThresholdMs
      ? passed(received)
      : failed(
          received,
          'Your receiver responds after the work is done. Accept the delivery, respond, and then do the work.',
        );
  },
};
