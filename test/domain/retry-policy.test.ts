import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decideRetry,
  type FailedAttempt,
  parseRetryAfter,
  type RetryPolicy,
} from '../../src/domain/retry-policy.ts';
import { createRandomSource } from '../../src/domain/secret.ts';
import { resolveRules } from '../../src/profile/resolve-rules.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 10, 20);
/** Times of the attempts: 0, 5m, 35m, 2h35, 8h35, 20h35, 44h35, 68h35 (decision `retry.schedule`). */
const SCHEDULE = [0, 5, 35, 155, 515, 1_235, 2_675, 4_115].map((minutes) => minutes * MINUTE);

const relaxed = resolveRules('relaxed').retry;
const strict = resolveRules('strict').retry;
const never = () => {
  throw new Error('no random number is expected');
};

function failure(facts: Partial<FailedAttempt> = {}): FailedAttempt {
  const startedAt = facts.startedAt ?? START;
  return {
    ...{ attemptCount: 1, firstAttemptAt: START, startedAt, endedAt: startedAt },
    ...{ responseStatus: 503, retryAfterMs: null },
    ...facts,
  };
}

/** Times of all attempts of a delivery that always fails, relative to the first, and why it ends. */
function runSchedule(
  policy: RetryPolicy,
  random: () => number = never,
  hints: readonly (number | null)[] = [],
) {
  const attempts = [0];
  for (;;) {
    const startedAt = START + (attempts.at(-1) ?? 0);
    const retryAfterMs = hints[attempts.length - 1] ?? null;
    const next = decideRetry(
      policy,
      failure({ attemptCount: attempts.length, startedAt, retryAfterMs }),
      random,
    );
    if (next.status === 'failed') return { attempts, reason: next.reason };
    attempts.push(next.dueAt - START);
  }
}

describe('the retry schedule', () => {
  it('a delivery is attempted at 0, 5m, 35m, 2h35, 8h35, 20h35, 44h35 and 68h35, and then fails [§6.retries.schedule, §6.retries.window, retry.schedule]', () => {
    expect(runSchedule(relaxed)).toEqual({ attempts: SCHEDULE, reason: 'window_elapsed' });
  });

  it('the retry schedule repeats its last delay [retry.schedule]', () => {
    const { attempts } = runSchedule({ ...relaxed, delaysMs: [HOUR, 24 * HOUR] });
    expect(attempts).toEqual([0, 1, 25, 49].map((hours) => hours * HOUR));
  });

  it('a delay is counted from the due time of the attempt, not from its response [retry.schedule]', () => {
    const next = decideRetry(relaxed, failure({ endedAt: START + 15_000 }), never);
    expect(next).toEqual({ status: 'pending', dueAt: START + 5 * MINUTE });
  });

  it.each([
    [72 * HOUR, { status: 'pending', dueAt: START + 72 * HOUR }],
    [72 * HOUR + 1, { status: 'failed', reason: 'window_elapsed' }],
  ])(
    'the last attempt is at most 72 hours after the first: %d ms [§6.retries.window, retry.schedule]',
    (at, next) => {
      const startedAt = START + at - 24 * HOUR;
      expect(decideRetry(relaxed, failure({ attemptCount: 7, startedAt }), never)).toEqual(next);
    },
  );

  it('no attempt is more than 72 hours after the first or 24 hours after the one before, whatever the delays, hints and jitter [§6.retries.window, §8.gap]', () => {
    const delays = fc.array(fc.integer({ min: HOUR, max: 48 * HOUR }), { minLength: 1, maxLength: 8 });
    const hints = fc.array(fc.option(fc.nat({ max: 200 * HOUR })), { maxLength: 8 });
    const jitter = fc.double({ min: 0, max: 0.5, noNaN: true });
    fc.assert(
      fc.property(delays, hints, jitter, fc.nat(), (delaysMs, retryAfterMs, share, seed) => {
        const { attempts } = runSchedule(
          { ...relaxed, delaysMs, jitter: share },
          createRandomSource(seed).next,
          retryAfterMs,
        );
        expect(attempts.at(-1)).toBeLessThanOrEqual(72 * HOUR);
        for (const [i, at] of attempts.slice(1).entries()) {
          const delay = at - (attempts[i] ?? 0);
          expect(delay).toBeGreaterThan(0);
          expect(delay).toBeLessThanOrEqual(24 * HOUR);
        }
      }),
    );
  });
});

describe('`Retry-After`', () => {
  const nextDueAt = (facts: Partial<FailedAttempt>, policy = relaxed) => {
    const next = decideRetry(policy, failure(facts), never);
    return next.status === 'pending' ? next.dueAt - START : next.reason;
  };

  it('Retry-After delays the next attempt, counted from the response [retry.after]', () => {
    expect(nextDueAt({ retryAfterMs: HOUR, endedAt: START + 700 })).toBe(HOUR + 700);
  });

  it.each([0, 1, 5 * MINUTE - 1])(
    'Retry-After of %d ms does not make the next attempt earlier [retry.after]',
    (retryAfterMs) => {
      expect(nextDueAt({ retryAfterMs })).toBe(5 * MINUTE);
    },
  );

  it.each([24 * HOUR + 1, 400 * HOUR, Number.MAX_SAFE_INTEGER])(
    'Retry-After of %d ms delays the next attempt by 24 hours [retry.after, §8.gap]',
    (retryAfterMs) => {
      expect(nextDueAt({ retryAfterMs })).toBe(24 * HOUR);
    },
  );

  it('Retry-After delays up to the end of the window, and does not remove an attempt [retry.after, §6.retries.window]', () => {
    const policy = { ...relaxed, delaysMs: [HOUR] };
    const last = { attemptCount: 71, startedAt: START + 70 * HOUR };
    expect(nextDueAt({ ...last, retryAfterMs: 12 * HOUR }, policy)).toBe(72 * HOUR);
    expect(nextDueAt({ ...last, startedAt: START + 71 * HOUR + 1, retryAfterMs: null }, policy)).toBe(
      'window_elapsed',
    );
  });

  it('an attempt that took longer than the delay has no effect on the next due time without Retry-After [retry.after]', () => {
    const policy = { ...relaxed, delaysMs: [1_000] };
    expect(nextDueAt({ endedAt: START + 15_000, retryAfterMs: null }, policy)).toBe(1_000);
    expect(nextDueAt({ endedAt: START + 15_000, retryAfterMs: 0 }, policy)).toBe(15_000);
  });

  it('Retry-After has no effect if the policy ignores it [retry.after]', () => {
    expect(nextDueAt({ retryAfterMs: HOUR }, { ...relaxed, honorRetryAfter: false })).toBe(5 * MINUTE);
  });

  it('Retry-After can only delay an attempt [retry.after]', () => {
    const place = fc.record({
      attemptCount: fc.integer({ min: 1, max: 10 }),
      startedAt: fc.integer({ min: START, max: START + 73 * HOUR }),
      responseMs: fc.nat({ max: 15_000 }),
    });
    fc.assert(
      fc.property(place, fc.nat({ max: 100 * HOUR }), ({ responseMs, ...facts }, retryAfterMs) => {
        const attempt = failure({ ...facts, endedAt: facts.startedAt + responseMs });
        const without = decideRetry(relaxed, attempt, never);
        const hinted = decideRetry(relaxed, { ...attempt, retryAfterMs }, never);
        expect(hinted.status).toBe(without.status);
        if (hinted.status === 'pending' && without.status === 'pending') {
          expect(hinted.dueAt).toBeGreaterThanOrEqual(without.dueAt);
        }
      }),
    );
  });
});

describe('jitter', () => {
  it('jitter changes a delay by up to a tenth in both directions [retry.jitter]', () => {
    const dueAfter = (chance: number) => {
      const next = decideRetry(strict, failure(), () => chance);
      return next.status === 'pending' ? next.dueAt - START : null;
    };
    expect(dueAfter(0)).toBe(4.5 * MINUTE);
    expect(dueAfter(0.5)).toBe(5 * MINUTE);
    expect(dueAfter(0.75)).toBe(5.25 * MINUTE);
    expect(dueAfter(1 - Number.EPSILON)).toBe(5.5 * MINUTE);
  });

  it('jitter does not extend the longest delay [retry.jitter, §8.gap]', () => {
    const next = decideRetry(strict, failure({ attemptCount: 6, startedAt: START + 20 * HOUR }), () => 0.99);
    expect(next).toEqual({ status: 'pending', dueAt: START + 44 * HOUR });
  });

  it('jitter depends on the random seed [retry.jitter]', () => {
    const draw = (seed: number) => runSchedule(strict, createRandomSource(seed).next).attempts;
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
    expect(draw(1)).not.toEqual(SCHEDULE);
  });
});

describe('a response with status 410', () => {
  it.each([
    ['a failure like any other', false, { status: 'pending', dueAt: START + 5 * MINUTE }],
    ['the end of the retries', true, { status: 'failed', reason: 'retry_not_allowed' }],
  ])('a response with status 410 is %s [retry.410]', (_, stopOn410, next) => {
    expect(decideRetry({ ...relaxed, stopOn410 }, failure({ responseStatus: 410 }), never)).toEqual(next);
  });

  it('a response with status 410 is the only one that ends the retries [retry.410]', () => {
    const policy = { ...relaxed, stopOn410: true };
    for (const responseStatus of [404, 400, 429, 500, null]) {
      expect(decideRetry(policy, failure({ responseStatus }), never)).toMatchObject({ status: 'pending' });
    }
  });
});

const NOW = Date.UTC(1994, 10, 6, 8, 49, 0); // 37 seconds before the date of RFC 9110's examples

describe('parseRetryAfter', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 5\t', 5_000],
    ['007', 7_000],
  ])('parseRetryAfter reads whole seconds: %j [retry.after]', (value, ms) => {
    expect(parseRetryAfter(value, NOW)).toBe(ms);
  });

  it.each(['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])(
    'parseRetryAfter reads every form of an HTTP date: %s [retry.after]',
    (value) => {
      expect(parseRetryAfter(value, NOW)).toBe(37_000);
    },
  );

  it('parseRetryAfter reads February 29 and a two-digit year', () => {
    expect(parseRetryAfter('Thu, 29 Feb 2024 00:00:01 GMT', Date.UTC(2024, 1, 29))).toBe(1_000);
    // 1988 had a February 29, 1987 had none.
    expect(parseRetryAfter('Monday, 29-Feb-88 00:00:00 GMT', NOW)).toBe(0);
    expect(parseRetryAfter('Monday, 29-Feb-87 00:00:00 GMT', NOW)).toBeNull();
    expect(parseRetryAfter('Friday, 01-Jan-27 00:00:00 GMT', Date.UTC(2026, 0, 1))).toBe(365 * 86_400_000);
  });

  it('parseRetryAfter returns 0 for a date in the past [retry.after]', () => {
    expect(parseRetryAfter('Sun, 06 Nov 1994 08:48:00 GMT', NOW)).toBe(0);
  });

  it('parseRetryAfter limits a huge wait to a safe integer', () => {
    expect(parseRetryAfter('9'.repeat(15), NOW)).toBe(Number.MAX_SAFE_INTEGER);
    expect(parseRetryAfter('9'.repeat(400), NOW)).toBe(Number.MAX_SAFE_INTEGER);
    expect(parseRetryAfter('Fri, 31 Dec 9999 23:59:59 GMT', NOW)).toBe(
      Date.UTC(9999, 11, 31, 23, 59, 59) - NOW,
    );
  });

  it.each([
    '',
    'soon',
    '-1',
    '+1',
    '1.5',
    '1, 2',
    '2026-11-20T00:00:00Z',
    'Sun, 06 Nov 1994 08:49:37 CET',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:60:00 GMT',
    'Sun, 06 Now 1994 08:49:37 GMT',
    'Sun, 31 Jun 1994 08:49:37 GMT',
    'Sun, 00 Nov 1994 08:49:37 GMT',
  ])('parseRetryAfter returns null for %j [retry.after]', (value) => {
    expect(parseRetryAfter(value, NOW)).toBeNull();
  });
});
