import { describe, expect, it } from 'vitest';
import {
  type AttemptResult,
  type DeliveryProgress,
  type DeliveryProjection,
  decideNextStep,
  describeOutcome,
  getDisplayStatus,
  projectAttempts,
} from '../../src/domain/delivery.ts';
import { resolveRules } from '../../src/profile/resolve-rules.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 10, 20);

const fresh: DeliveryProgress = {
  firstAttemptAt: null,
  scheduledAttempts: 0,
  waitingReplays: 0,
  keepsSuccess: false,
};
const refused: AttemptResult = {
  outcome: 'http_error',
  responseStatus: 500,
  retryAfterMs: null,
  onSchedule: true,
  startedAt: START,
  endedAt: START + 40,
};
const accepted: AttemptResult = { ...refused, outcome: 'succeeded', responseStatus: 204 };

function step(progress: Partial<DeliveryProgress>, attempt: AttemptResult) {
  return decideNextStep({ ...fresh, ...progress }, attempt, resolveRules('relaxed').retry, Math.random);
}

describe('a delivery after an attempt', () => {
  it('a delivery has succeeded when the receiver accepted it [delivery.success, §6.5]', () => {
    expect(step({}, accepted)).toEqual({ status: 'succeeded', reason: null });
    expect(step({}, { ...accepted, onSchedule: false })).toEqual({ status: 'succeeded', reason: null });
  });

  it.each(['http_error', 'timeout', 'connection_error', 'dns_error', 'tls_error', 'blocked'] as const)(
    'a delivery is attempted again after %s [§6.retries.non-2xx]',
    (outcome) => {
      const attempt = { ...refused, outcome, responseStatus: null };
      expect(step({}, attempt)).toEqual({ status: 'pending', dueAt: START + 5 * MINUTE });
    },
  );

  it('a delivery advances in the retry schedule by the number of its attempts [§6.retries.schedule]', () => {
    const progress = { firstAttemptAt: START - 5 * MINUTE, scheduledAttempts: 1 };
    expect(step(progress, refused)).toEqual({ status: 'pending', dueAt: START + 30 * MINUTE });
  });

  it('a delivery has failed at the end of the retry schedule [§6.retries.window]', () => {
    const progress = { firstAttemptAt: START - 68 * HOUR, scheduledAttempts: 7 };
    expect(step(progress, refused)).toEqual({ status: 'failed', reason: 'window_elapsed' });
  });

  it('a delivery with a requested replay is attempted again at once, whatever the result of this attempt [replay]', () => {
    const now = { status: 'pending', dueAt: START + 40 };
    expect(step({ waitingReplays: 1 }, refused)).toEqual(now);
    expect(step({ waitingReplays: 2 }, accepted)).toEqual(now);
    expect(step({ waitingReplays: 1 }, { ...refused, onSchedule: false })).toEqual(now);
  });

  it('a delivery continues its retry schedule after a failed replay that replaced a retry [replay]', () => {
    const progress = { firstAttemptAt: START - MINUTE, scheduledAttempts: 1 };
    expect(step(progress, refused)).toEqual({ status: 'pending', dueAt: START + 30 * MINUTE });
  });

  it('a settled delivery has failed again after a failed replay [replay]', () => {
    expect(step({ firstAttemptAt: START, scheduledAttempts: 8 }, { ...refused, onSchedule: false })).toEqual({
      status: 'failed',
      reason: 'replay_failed',
    });
  });

  it('a succeeded delivery stays succeeded after a failed replay if the rules keep a success [replay.failed]', () => {
    const progress = { firstAttemptAt: START, scheduledAttempts: 1, keepsSuccess: true };
    expect(step(progress, { ...refused, onSchedule: false })).toEqual({
      status: 'succeeded',
      reason: 'replay_failed',
    });
  });
});

describe('projectAttempts', () => {
  const plan = (projection: Partial<DeliveryProjection>, retry = resolveRules('relaxed').retry) =>
    projectAttempts({ ...fresh, dueAt: START, onSchedule: true, ...projection }, retry).map(
      (at) => at - START,
    );
  const schedule = [0, 5, 35, 155, 515, 1235, 2675, 4115].map((minutes) => minutes * MINUTE);

  it('the projected attempts are the remaining attempts of the retry schedule', () => {
    expect(plan({})).toEqual(schedule);
    const third = { dueAt: START + 35 * MINUTE, firstAttemptAt: START, scheduledAttempts: 2 };
    expect(plan(third)).toEqual(schedule.slice(2));
  });

  it('the projected attempts have no jitter', () => {
    expect(plan({}, resolveRules('strict').retry)).toEqual(schedule);
  });

  it('the projected attempts start with the requested replays', () => {
    expect(plan({ waitingReplays: 2 }).slice(0, 3)).toEqual([0, 0, 30 * MINUTE]);
    expect(plan({ waitingReplays: 2, onSchedule: false, firstAttemptAt: START - HOUR })).toEqual([0, 0]);
  });

  it('no attempts are projected without a due time, and never more than a hundred', () => {
    expect(plan({ dueAt: null })).toEqual([]);
    const often = resolveRules('relaxed', { 'retry.schedule': ['1s'] }).retry;
    expect(plan({}, often)).toHaveLength(100);
  });
});

it.each([
  ['succeeded', 204, null, '204'],
  ['http_error', 503, 'the receiver responded with 503', '503'],
  ['timeout', 200, 'localhost:3000 started a response but did not finish it within 15s', 'timed out'],
  [
    'connection_error',
    null,
    'connection refused by 127.0.0.1:3000: nothing is listening there',
    'connection refused',
  ],
  ['connection_error', null, 'localhost:3000 closed the connection before it responded', 'connection failed'],
  ['dns_error', null, null, 'DNS lookup failed'],
  ['tls_error', null, null, 'TLS failed'],
  ['blocked', null, null, 'blocked'],
] as const)(
  'an attempt that ended with %s (status %s, error %j) is described as "%s"',
  (outcome, response_status, error, text) => {
    expect(describeOutcome({ outcome, response_status, error })).toBe(text);
  },
);

it.each([
  ['pending', 'before its first attempt', { status: 'pending', paused: false, last_attempt: null }],
  [
    'failing',
    'after a failed attempt',
    { status: 'pending', paused: false, last_attempt: { outcome: 'timeout' } },
  ],
  [
    'pending',
    'while a replay waits',
    { status: 'pending', paused: false, last_attempt: { outcome: 'succeeded' } },
  ],
  [
    'paused',
    'of a disabled endpoint',
    { status: 'pending', paused: true, last_attempt: { outcome: 'timeout' } },
  ],
  [
    'failed',
    'after its last attempt',
    { status: 'failed', paused: false, last_attempt: { outcome: 'timeout' } },
  ],
] as const)('getDisplayStatus returns %s for a delivery %s', (displayStatus, _, delivery) => {
  expect(getDisplayStatus(delivery)).toBe(displayStatus);
});
