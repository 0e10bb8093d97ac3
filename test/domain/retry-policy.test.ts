import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandomSource } from '../../src/domain/random-source.ts';
import {
  countAttempts,
  decideRetry,
  type FailedAttempt,
  type RetryPolicy,
} from '../../src/domain/retry-policy.ts';
import { resolveRules } from '../../src/profile/resolve-rules.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 10, 20);
/** 0, 5m, 35m, 2h35, 8h35, 20h35, 44h35, 68h35 (decision `retry.schedule`). */
const LADDER = [0, 5, 35, 155, 515, 1_235, 2_675, 4_115].map((minutes) => minutes * MINUTE);

const relaxed = resolveRules('relaxed').retry;
const strict = resolveRules('strict').retry;
const never = () => {
  throw new Error('chance is not asked');
};

function failure(facts: Partial<FailedAttempt> = {}): FailedAttempt {
  const startedAt = facts.startedAt ?? START;
  return {
    ...{ attemptCount: 1, firstAttemptAt: START, startedAt, endedAt: startedAt },
    ...{ responseStatus: 503, retryAfterMs: null },
    ...facts,
  };
}

/** Instants of all attempts of a delivery that always fails, from the first, and why it ends. */
function climb(policy: RetryPolicy, random: () => number = never, hints: readonly (number | null)[] = []) {
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

describe('the retry ladder', () => {
  it('has its attempts at 0, 5m, 35m, 2h35, 8h35, 20h35, 44h35 and 68h35, and then fails [§6.retries.schedule, §6.retries.window, retry.schedule]', () => {
    expect(climb(relaxed)).toEqual({ attempts: LADDER, reason: 'window_elapsed' });
  });

  it('repeats its last gap [retry.schedule]', () => {
    const { attempts } = climb({ ...relaxed, gapsMs: [HOUR, 24 * HOUR] });
    expect(attempts).toEqual([0, 1, 25, 49].map((hours) => hours * HOUR));
  });

  it('counts a gap from when the attempt was due, not from its answer [retry.schedule]', () => {
    const next = decideRetry(relaxed, failure({ endedAt: START + 15_000 }), never);
    expect(next).toEqual({ status: 'pending', dueAt: START + 5 * MINUTE });
  });

  it.each([
    [72 * HOUR, { status: 'pending', dueAt: START + 72 * HOUR }],
    [72 * HOUR + 1, { status: 'failed', reason: 'window_elapsed' }],
  ])(
    'may have its last attempt %d ms after the first or not [§6.retries.window, retry.schedule]',
    (at, next) => {
      const startedAt = START + at - 24 * HOUR;
      expect(decideRetry(relaxed, failure({ attemptCount: 7, startedAt }), never)).toEqual(next);
    },
  );

  it('never reaches past 72 hours and never waits longer than 24, whatever its gaps, hints and jitter [§6.retries.window, §8.gap]', () => {
    const gaps = fc.array(fc.integer({ min: HOUR, max: 48 * HOUR }), { minLength: 1, maxLength: 8 });
    const hints = fc.array(fc.option(fc.nat({ max: 200 * HOUR })), { maxLength: 8 });
    const jitter = fc.double({ min: 0, max: 0.5, noNaN: true });
    fc.assert(
      fc.property(gaps, hints, jitter, fc.nat(), (gapsMs, wishes, share, seed) => {
        const { attempts } = climb(
          { ...relaxed, gapsMs, jitter: share },
          createRandomSource(seed).next,
          wishes,
        );
        expect(attempts.at(-1)).toBeLessThanOrEqual(72 * HOUR);
        for (const [i, at] of attempts.slice(1).entries()) {
          const gap = at - (attempts[i] ?? 0);
          expect(gap).toBeGreaterThan(0);
          expect(gap).toBeLessThanOrEqual(24 * HOUR);
        }
      }),
    );
  });
});

describe('the number of attempts', () => {
  it('is eight on the ladder of the profiles [§6.retries.window, retry.schedule]', () => {
    expect([relaxed, strict].map(countAttempts)).toEqual([LADDER.length, LADDER.length]);
  });

  it('is that of a delivery that always fails, whatever the ladder', () => {
    const gaps = fc.array(fc.integer({ min: 20 * MINUTE, max: 30 * HOUR }), { maxLength: 6 });
    fc.assert(
      fc.property(gaps, (gapsMs) => {
        const policy = { ...relaxed, gapsMs };
        expect(countAttempts(policy)).toBe(climb(policy).attempts.length);
      }),
    );
  });
});

describe('`Retry-After`', () => {
  const nextDueAt = (facts: Partial<FailedAttempt>, policy = relaxed) => {
    const next = decideRetry(policy, failure(facts), never);
    return next.status === 'pending' ? next.dueAt - START : next.reason;
  };

  it('delays, counted from the answer [retry.after]', () => {
    expect(nextDueAt({ retryAfterMs: HOUR, endedAt: START + 700 })).toBe(HOUR + 700);
  });

  it.each([0, 1, 5 * MINUTE - 1])('of %d ms brings nothing forward [retry.after]', (retryAfterMs) => {
    expect(nextDueAt({ retryAfterMs })).toBe(5 * MINUTE);
  });

  it.each([24 * HOUR + 1, 400 * HOUR, Number.MAX_SAFE_INTEGER])(
    'of %d ms delays by 24 hours [retry.after, §8.gap]',
    (retryAfterMs) => {
      expect(nextDueAt({ retryAfterMs })).toBe(24 * HOUR);
    },
  );

  it('delays up to the end of the window, and takes no attempt away [retry.after, §6.retries.window]', () => {
    const policy = { ...relaxed, gapsMs: [HOUR] };
    const last = { attemptsMade: 71, startedAt: START + 70 * HOUR };
    expect(nextDueAt({ ...last, retryAfterMs: 12 * HOUR }, policy)).toBe(72 * HOUR);
    expect(nextDueAt({ ...last, startedAt: START + 71 * HOUR + 1, retryAfterMs: null }, policy)).toBe(
      'window_elapsed',
    );
  });

  it('does nothing where it is ignored [retry.after]', () => {
    expect(nextDueAt({ retryAfterMs: HOUR }, { ...relaxed, honorRetryAfter: false })).toBe(5 * MINUTE);
  });

  it('only ever delays [retry.after]', () => {
    const place = fc.record({
      attemptsMade: fc.integer({ min: 1, max: 10 }),
      startedAt: fc.integer({ min: START, max: START + 73 * HOUR }),
      answerMs: fc.nat({ max: 15_000 }),
    });
    fc.assert(
      fc.property(place, fc.nat({ max: 100 * HOUR }), ({ answerMs, ...facts }, retryAfterMs) => {
        const attempt = failure({ ...facts, endedAt: facts.startedAt + answerMs });
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
  it('varies a gap by up to a tenth, both ways [retry.jitter]', () => {
    const dueAfter = (chance: number) => {
      const next = decideRetry(strict, failure(), () => chance);
      return next.status === 'pending' ? next.dueAt - START : null;
    };
    expect(dueAfter(0)).toBe(4.5 * MINUTE);
    expect(dueAfter(0.5)).toBe(5 * MINUTE);
    expect(dueAfter(0.75)).toBe(5.25 * MINUTE);
    expect(dueAfter(1 - Number.EPSILON)).toBe(5.5 * MINUTE);
  });

  it('does not stretch the longest gap [retry.jitter, §8.gap]', () => {
    const next = decideRetry(strict, failure({ attemptCount: 6, startedAt: START + 20 * HOUR }), () => 0.99);
    expect(next).toEqual({ status: 'pending', dueAt: START + 44 * HOUR });
  });

  it('comes from the seed of the run [retry.jitter]', () => {
    const draw = (seed: number) => climb(strict, createRandomSource(seed).next).attempts;
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
    expect(draw(1)).not.toEqual(LADDER);
  });
});

describe('an answer 410', () => {
  it.each([
    ['an ordinary failure', false, { status: 'pending', dueAt: START + 5 * MINUTE }],
    ['the end', true, { status: 'failed', reason: 'retry_not_allowed' }],
  ])('is %s [retry.410]', (_, stopAtGone, next) => {
    expect(
      decideRetry({ ...relaxed, stopOn410: stopAtGone }, failure({ responseStatus: 410 }), never),
    ).toEqual(next);
  });

  it('alone is the end [retry.410]', () => {
    const policy = { ...relaxed, stopOn410: true };
    for (const responseStatus of [404, 400, 429, 500, null]) {
      expect(decideRetry(policy, failure({ responseStatus }), never)).toMatchObject({ status: 'pending' });
    }
  });
});
