/** Gaps about attempts, retries and replays of deliveries. */
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../domain/duration.ts';
import { RETRY_WINDOW_MS } from '../../domain/retry-policy.ts';
import { byteSize, duration, listOf, number, wholeNumber } from '../../resources/value-schemas.ts';
import type { Gap } from '../gap.ts';
import { objectOf, oneOf, withRule } from '../gap-schemas.ts';

/** Of an attempt or a part of it, in milliseconds. */
const TimeLimit = wholeNumber(10, 10 * MINUTE_MS);

export const MAX_JITTER = 0.5;

export const deliveryGaps = {
  'delivery.success': {
    question: 'Which response of the receiver counts as success?',
    references: ['§6.5', '§6.retries.non-2xx'],
    reason:
      'According to the description, every response other than 2xx leads to a retry. A redirect is not a 2xx, and following it would send signed data to another address.',
    answer: '2xx within the time limit; a redirect is not followed and counts as a failure',
  },
  'delivery.states': {
    question: 'Which states does a delivery have, and when do they change?',
    references: ['§3.states', '§6.retries.visible'],
    reason:
      'A delivery either has another attempt to come or a final result. Other resources need no states.',
    answer:
      '`pending` from its creation, and again while a replay is due; `succeeded` after a successful attempt; `failed` when an attempt fails and no retry follows, or when 72 hours pass while the endpoint is disabled; `canceled` when its endpoint is deleted',
  },
  'delivery.paused': {
    question: 'What happens to pending deliveries while their endpoint is disabled?',
    references: ['§3.states', '§6.retries.window'],
    reason:
      'No delivery is lost while you repair an endpoint, and none waits forever. The retry window starts with the first attempt, or at creation if there was no attempt.',
    answer:
      'they are paused: `status` stays `pending`, `paused` is true and nothing is sent. Clock moves do not send them; they appear under `paused`. 72 hours after the retry window starts, a paused delivery becomes `failed` with `window_elapsed`. When the endpoint is enabled, due deliveries are sent immediately. A replay waits until then. If only paused deliveries remain, `svc deliveries wait`, `--wait` and `deliveries.wait` stop with `stalled` and name the endpoint. With a number of deliveries to wait for, they keep waiting',
  },
  'delivery.timeout': {
    question: 'How long can an attempt take?',
    references: ['§6.5'],
    reason:
      'A receiver responds before it processes the event, so fifteen seconds are enough. Time limits use the wall clock and do not depend on the schedule clock.',
    schema: objectOf({ connect: duration(TimeLimit), attempt: duration(TimeLimit) }),
    relaxed: { connect: '5s', attempt: '15s' },
  },
  'delivery.response': {
    question: "How much of the receiver's response is stored?",
    references: ['§2.delivery.fields', '§6.retries.visible'],
    reason:
      'The default is enough for a stack trace. A longer response is marked as truncated, and its connection is closed at the limit.',
    schema: byteSize('0B', '16MiB'),
    relaxed: '64KiB',
  },
  'delivery.concurrency': {
    question: 'How many attempts are in flight at the same time, for one endpoint and in total?',
    references: ['§6.delivery'],
    reason: 'A slow endpoint must not delay the others. One delivery never has two attempts in flight.',
    schema: objectOf({ per_endpoint: wholeNumber(1, 1_000), total: wholeNumber(1, 10_000) }),
    relaxed: { per_endpoint: 8, total: 64 },
  },
  'delivery.order': {
    question: 'In which order do deliveries arrive?',
    references: ['§6.delivery', '§6.6'],
    reason: 'Retries can change the order, and webhook senders usually guarantee none.',
    answer: 'no order is guaranteed',
  },
  'retry.schedule': {
    question: 'How long are the waits after attempts 1, 2, 3 and so on? The last wait repeats.',
    references: ['§6.retries.schedule', '§6.retries.window', '§8.gap'],
    reason:
      'The description gives the first two waits, and a maximum of 24 hours for the others. These waits lead to eight attempts, the last one 68 h 35 min after the first. If the next attempt would start more than 72 h after the first, the delivery fails immediately.',
    schema: withRule(
      listOf(duration(wholeNumber(SECOND_MS, DAY_MS))),
      'with a sum of at most 72h',
      (delaysMs) => delaysMs.reduce((sum, delayMs) => sum + delayMs, 0) <= RETRY_WINDOW_MS,
    ),
    relaxed: ['5m', '30m', '2h', '6h', '12h', '24h', '24h'],
  },
  'retry.jitter': {
    question: 'By what share can a wait vary in each direction?',
    references: ['§6.retries.schedule'],
    reason:
      'The described delays are typical, not exact. Tests need exact delays; in production, jitter keeps retries from arriving all at once. The variation comes from the random seed of the run.',
    schema: number(0, MAX_JITTER),
    relaxed: 0,
    strict: 0.1,
  },
  'retry.after': {
    question: "What is the effect of the receiver's `Retry-After` header?",
    references: ['§6.retries.schedule', '§8.gap'],
    reason: 'A receiver can request more time, within the described limits: 24 hours and the retry window.',
    schema: oneOf({
      honored: 'it can delay the next attempt, never bring it forward',
      ignored: 'it has no effect',
    }),
    relaxed: 'honored',
  },
  'retry.410': {
    question: 'What is the effect of a 410 Gone response?',
    references: ['§6.retries.non-2xx'],
    reason: 'According to the description, every response other than 2xx leads to a retry.',
    schema: oneOf({
      failure: 'a failure like any other: the delivery is retried',
      stop: 'the delivery fails immediately',
    }),
    relaxed: 'failure',
  },
  replay: {
    question: 'What is a replay?',
    references: ['§2.delivery.fields', '§6.retries.replay'],
    reason:
      'A receiver deduplicates by `data.id`, so it must be able to handle the same bytes of the same delivery twice.',
    answer:
      'a new attempt of the same delivery, with the same ID and bytes and a new timestamp and signature. It replaces a pending retry. `--new-id` creates a new delivery with `replay_of` instead',
  },
  'replay.failed': {
    question: 'What is the status of a succeeded delivery after a failed replay?',
    references: ['§3.states', '§6.retries.replay'],
    reason:
      'The receiver accepted the event once, and a later attempt does not change that. The failed attempt is listed, and `settled_reason` is `replay_failed`. A failed replay of a settled delivery is not retried.',
    schema: oneOf({
      keeps_success: 'it stays `succeeded`',
      fails: 'it becomes `failed`',
    }),
    relaxed: 'keeps_success',
  },
} satisfies Record<string, Gap>;
