/** How a delivery is attempted, retried and replayed. */
import { RETRY_WINDOW_MS } from '../../domain/retry-policy.ts';
import type { Gap } from '../gap.ts';
import {
  byteSize,
  duration,
  listOf,
  number,
  objectOf,
  oneOf,
  wholeNumber,
  withRule,
} from '../value-schema.ts';

export const deliveryGaps = {
  'delivery.success': {
    question: 'Which answer of the receiver counts as success?',
    references: ['§6.5', '§6.retries.non-2xx'],
    reason:
      'The description retries whatever is not 2xx; a redirect is not, and following it would send signed data elsewhere.',
    answer: '2xx within the time limit; a redirect is not followed and is a failure',
  },
  'delivery.states': {
    question: 'Which states does a delivery have, and what changes them?',
    references: ['§3.states', '§6.retries.visible'],
    reason:
      'An attempt is still to come, or it is known how the delivery ended. No other described resource has states.',
    answer:
      '`pending` from its creation, and again while a replay waits; `succeeded` after a successful attempt; `failed` when no attempt follows a failed one; `canceled` when its endpoint is deleted',
  },
  'delivery.paused': {
    question: 'What happens to pending deliveries while their endpoint is disabled?',
    references: ['§3.states', '§6.retries.window'],
    reason:
      'Nothing is lost while an endpoint is repaired, and nothing waits forever. The window starts with the first attempt or, without one, with the creation.',
    answer:
      'they are paused: `status` stays `pending`, `paused` is true and nothing is sent; clock moves leave them out and list them. 72 hours after its start a paused delivery becomes `failed` with `window_elapsed`. When the endpoint is enabled, what is due is sent at once. A replay waits until then. `svc deliveries wait`, `--wait` and `deliveries.wait` end at once with `timeout` and name the endpoint when all that are left are paused, unless a count is asked for',
  },
  'delivery.timeout': {
    question: 'How long may an attempt take?',
    references: ['§6.5'],
    reason:
      'A receiver answers before it does the work, so fifteen seconds are plenty. They count on the wall clock, however fast the schedule runs.',
    schema: objectOf({ connect: duration('10ms', '10m'), attempt: duration('10ms', '10m') }),
    relaxed: { connect: '5s', attempt: '15s' },
  },
  'delivery.response': {
    question: "How much of the receiver's answer is kept?",
    references: ['§2.delivery.fields', '§6.retries.visible'],
    reason: 'Enough for a stack trace. What is cut is marked, and past the limit the socket is destroyed.',
    schema: byteSize('0B', '16MiB'),
    relaxed: '64KiB',
  },
  'delivery.concurrency': {
    question: 'How many attempts are under way at once, for one endpoint and in all?',
    references: ['§6.delivery'],
    reason: 'A slow endpoint must not delay another. One delivery never has two attempts in flight.',
    schema: objectOf({ per_endpoint: wholeNumber(1, 1_000), total: wholeNumber(1, 10_000) }),
    relaxed: { per_endpoint: 8, total: 64 },
  },
  'delivery.order': {
    question: 'In which order do deliveries arrive?',
    references: ['§6.delivery', '§6.6'],
    reason: 'Retries break any order, and no sender that was studied promises one.',
    answer: 'none is promised',
  },
  'retry.schedule': {
    question: 'What are the waits after attempt 1, 2, 3 and so on? Past the last one, the last one repeats.',
    references: ['§6.retries.schedule', '§6.retries.window', '§8.gap'],
    reason:
      'The first two waits are described, then up to 24 hours. These make eight attempts, the last 68 h 35 min after the first; one that would start past 72 h is not made, and the delivery fails at once.',
    schema: withRule(
      listOf(duration('1s', '24h')),
      'at most 72h in all',
      (gapsMs) => gapsMs.reduce((sum, gapMs) => sum + gapMs, 0) <= RETRY_WINDOW_MS,
    ),
    relaxed: ['5m', '30m', '2h', '6h', '12h', '24h', '24h'],
  },
  'retry.jitter': {
    question: 'By which share is a wait varied, both ways?',
    references: ['§6.retries.schedule'],
    reason:
      'The described delays are typical, not exact. Tests want exact ones; production wants no stampede. It is drawn from the seed of the run.',
    schema: number(0, 0.5),
    relaxed: 0,
    strict: 0.1,
  },
  'retry.after': {
    question: "What does a receiver's `Retry-After` do?",
    references: ['§6.retries.schedule', '§8.gap'],
    reason: 'A receiver that asks for time gets it, within what is described: 24 hours and the window.',
    schema: oneOf({ heeded: 'it can only delay the next attempt', ignored: 'nothing' }),
    relaxed: 'heeded',
  },
  'retry.410': {
    question: 'What does an answer 410 Gone do?',
    references: ['§6.retries.non-2xx'],
    reason: 'The description retries every answer that is not 2xx.',
    schema: oneOf({ failure: 'an ordinary failure, retried', stop: 'the delivery fails at once' }),
    relaxed: 'failure',
  },
  replay: {
    question: 'What is a replay?',
    references: ['§2.delivery.fields', '§6.retries.replay'],
    reason:
      'The receiver deduplicates on `data.id`, so the same bytes under the same delivery are what it has to cope with.',
    answer:
      'a new attempt of the same delivery (same id and bytes, fresh timestamp and signature); it replaces a pending retry. `--new-id` makes a new delivery with `replay_of` instead',
  },
  'replay.failed': {
    question: 'What is the status of a succeeded delivery after a replay of it fails?',
    references: ['§3.states', '§6.retries.replay'],
    reason:
      'The receiver accepted the event once, and a later attempt does not undo that. The failed attempt is listed, and `settled_reason` is `replay_failed`. A replay is never retried.',
    schema: oneOf({
      keeps_success: 'it stays `succeeded`',
      fails: 'it becomes `failed`',
    }),
    relaxed: 'keeps_success',
  },
} satisfies Record<string, Gap>;
