import { expect, it } from 'vitest';
import { describeDelivery, describeState } from '../../src/diagnosis/describe-delivery.ts';
import type { DeliveryDetail } from '../../src/resources/delivery.ts';
import { aDetail, anAttempt, NOW } from '../cli/fake-context.ts';

/** A delivery whose two attempts failed. */
const aFailing = (changes: Partial<DeliveryDetail>) =>
  aDetail({ id: 'del_1', webhook_id: 'wh_1', attempts: [anAttempt(), anAttempt({ number: 2 })], ...changes });
const success = anAttempt({ outcome: 'succeeded', response_status: 200, error: null });

it.each<[string, Partial<DeliveryDetail>]>([
  ['Attempt 2 failed. A retry is scheduled.', {}],
  ['Waiting to be sent.', { attempts: [] }],
  ['Paused: the endpoint is disabled.', { paused: true }],
  ['Attempt 1 succeeded; a replay is waiting to be sent.', { attempts: [success] }],
  ['Delivered on attempt 1.', { status: 'succeeded', attempts: [success, { ...success, number: 2 }] }],
  ['Delivered on attempt 2.', { status: 'succeeded', attempts: [anAttempt(), { ...success, number: 2 }] }],
  [
    'Delivered on attempt 1; the last replay failed.',
    {
      status: 'succeeded',
      settled_reason: 'replay_failed',
      attempts: [success, anAttempt({ number: 2, trigger: 'manual' })],
    },
  ],
  [
    'Failed: no further attempt fits into the retry window.',
    { status: 'failed', settled_reason: 'window_elapsed' },
  ],
  ['Canceled: the endpoint was deleted.', { status: 'canceled', settled_reason: 'endpoint_deleted' }],
])('describeState returns "%s" for %j', (sentence, changes) => {
  const delivery = aFailing(changes);
  expect(describeState(delivery, delivery.attempts)).toBe(sentence);
});

it.each<[string, Partial<DeliveryDetail>]>([
  ['del_1 failing after 2 attempts, next attempt in 5m: the receiver responded with 503', {}],
  ['del_1 pending after 0 attempts, next attempt in 5m', { attempts: [], last_attempt: null }],
  [
    'del_1 paused after 1 attempt, wh_1 is disabled: first\\nsecond',
    { attempts: [anAttempt({ error: 'first\nsecond' })], paused: true, next_attempt_at: null },
  ],
  ['del_1 succeeded after 1 attempt', { status: 'succeeded', attempts: [success], next_attempt_at: null }],
  [
    'del_1 canceled after 0 attempts, the endpoint was deleted',
    { status: 'canceled', settled_reason: 'endpoint_deleted', attempts: [], next_attempt_at: null },
  ],
])('describeDelivery returns "%s" for %j', (line, changes) => {
  expect(describeDelivery(aFailing(changes), NOW)).toBe(line);
});
