import { describe, expect, it } from 'vitest';
import {
  computeAttemptStats,
  formatSuccessRate,
  mergeNewest,
} from '../../src/dashboard/views/webhooks/attempt-stats.ts';

const attempt = (duration_ms: number, outcome: 'succeeded' | 'timeout' = 'succeeded') => ({
  duration_ms,
  outcome,
});

describe('computeAttemptStats', () => {
  it('computeAttemptStats returns null without attempts', () => {
    expect(computeAttemptStats([])).toBeNull();
  });

  it('computeAttemptStats counts successes and computes percentiles', () => {
    const attempts = Array.from({ length: 100 }, (_, index) => attempt(100 - index));
    expect(computeAttemptStats([...attempts, attempt(10_000, 'timeout')])).toEqual({
      count: 101,
      succeeded: 100,
      p50: 51,
      p95: 96,
      longest: 10_000,
    });
    expect(computeAttemptStats([attempt(7)])).toEqual({ count: 1, succeeded: 1, p50: 7, p95: 7, longest: 7 });
  });

  it.each([
    [200, 200, '100%'],
    [199, 200, '99.5%'],
    [1, 200, '0.5%'],
    [0, 200, '0%'],
    [2, 3, '67%'],
  ])(
    'formatSuccessRate formats %i of %i as %s, and uses 0% and 100% only for none and all',
    (succeeded, count, text) => {
      expect(formatSuccessRate({ succeeded, count })).toBe(text);
    },
  );
});

describe('mergeNewest', () => {
  it('mergeNewest puts new items first, without duplicates, up to the limit', () => {
    const [a, b, c] = [{ id: 'a' }, { id: 'b' }, { id: 'c' }];
    expect(mergeNewest([c, b], [b, a], 3)).toEqual([c, b, a]);
    expect(mergeNewest([c, b], [b, a], 2)).toEqual([c, b]);
  });
});
