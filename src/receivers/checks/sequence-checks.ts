/** Events that are delivered again or at the same time (§6.6), and work that delays the response (§6.5). */
import { formatDuration, MINUTE_MS, SECOND_MS } from '../../domain/duration.ts';
import { getIdLocation } from '../../profile/senders.ts';
import { failed, passed, type ReceiverCheck } from '../receiver-check.ts';
import type { PlayedStep } from '../sequence.ts';
import { createSequenceCheck, createValid, deliver } from './create-check.ts';

const CONCURRENT_COPIES = 10;
/** A repeat during the work is sent after half of the work time, but at most after this time. */
const MAX_REPEAT_DELAY_MS = 5 * SECOND_MS;
/** More than two seconds, after which some caches forget an ID. */
const LATER_MS = 2_500;
/** More than a hundred, because some caches keep only the last hundred IDs. */
const OTHER_EVENTS = 110;
const CONCURRENT_DELIVERIES = 50;
const KEEP_REMEDY = 'Keep each {event_id} for {retry_time}, in a database and not in a size-limited cache.';

/** The same `data.id` more than once, and different ones that are similar (§6.6). */
const idChecks: readonly ReceiverCheck[] = [
  createSequenceCheck({
    id: 'deduplication.same-delivery',
    sent: 'the same delivery twice',
    steps: () => [deliver, deliver],
    fails: ['accepted', 'processed', 'once'],
  }),
  createSequenceCheck({
    id: 'deduplication.other-delivery',
    sent: 'the same event twice, in two deliveries a minute apart',
    // A receiver that deduplicates by the signature processes the event twice.
    steps: () => [createValid((factory, event) => factory.sign(event, { ageMs: MINUTE_MS })), deliver],
    fails: ['accepted', 'processed', 'once'],
  }),
  createSequenceCheck({
    id: 'deduplication.at-once',
    sent: `${CONCURRENT_COPIES} copies of a delivery at once`,
    steps: () => [deliver, ...Array(CONCURRENT_COPIES - 1).fill({ ...deliver, with_previous: true })],
    fails: ['processed', 'once'],
  }),
  // Finds receivers that deduplicate only with a lock held during the request, or with a job ID that is free again once a worker
  // takes the job.
  createSequenceCheck({
    id: 'deduplication.during-work',
    sent: 'a delivery, and a duplicate while your receiver is working',
    steps({ observer }) {
      const ms = Math.min(MAX_REPEAT_DELAY_MS, (observer?.slowestMs ?? 0) / 2);
      return [deliver, { kind: 'pause', ms }, deliver];
    },
    fails: ['processed', 'once'],
  }),
  createSequenceCheck({
    id: 'deduplication.similar-ids',
    sent: 'three events whose IDs differ in one character',
    steps: () => [0, 1, 2].map((event) => ({ kind: 'deliver', event })),
    fails: ['accepted', 'processed'],
  }),
  createSequenceCheck({
    id: 'deduplication.later',
    sent: 'a delivery, and a duplicate more than two seconds later',
    steps: () => [deliver, { kind: 'pause', ms: LATER_MS }, deliver],
    fails: ['once'],
    remedy: KEEP_REMEDY,
  }),
  createSequenceCheck({
    id: 'deduplication.after-others',
    sent: `a delivery, ${OTHER_EVENTS} others, and a duplicate of the first`,
    steps: () => [deliver, { kind: 'burst', count: OTHER_EVENTS }, deliver],
    fails: ['once'],
    remedy: KEEP_REMEDY,
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
  fails: ['accepted', 'no-server-error'],
  remedy:
    'Accept new connections while your receiver handles others, so that its listen backlog does not fill up. If it can handle fewer, respond with 429 or 503.',
});

const SAMPLE_COUNT = 3;
/** By how much longer a valid delivery takes than a tampered one if the receiver responds after the work. */
const SLOW_THRESHOLD_MS = SECOND_MS;

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
    return acceptedMs - rejectedMs < SLOW_THRESHOLD_MS
      ? passed(received)
      : failed(
          received,
          'Your receiver responds after the work is done. Accept the delivery, respond, and then do the work.',
        );
  },
};
