/** The description of the chart of attempts. */
import { describe, expect, it } from 'vitest';
import { describeBuckets, sumBuckets } from '../../src/dashboard/views/home/attempt-totals.ts';

const buckets = [
  { starts_at: '2026-11-20T12:00:00.000Z', succeeded: 4, failed: 1 },
  { starts_at: '2026-11-20T12:00:10.000Z', succeeded: 0, failed: 3 },
  { starts_at: '2026-11-20T12:00:20.000Z', succeeded: 2, failed: 3 },
];

describe('describeBuckets', () => {
  it('describeBuckets names the totals and the first bucket with the most failures', () => {
    expect(sumBuckets(buckets)).toEqual({ succeeded: 6, failed: 7 });
    expect(describeBuckets(buckets, 'hour')).toBe(
      'Attempts in the last hour: 6 succeeded, 7 failed. Most failed at 2026-11-20 12:00:10: 3.',
    );
  });

  it('describeBuckets names no worst bucket without failures, and says when there are no attempts', () => {
    const successes = buckets.map((bucket) => ({ ...bucket, failed: 0 }));
    expect(describeBuckets(successes, 'hour')).toBe('Attempts in the last hour: 6 succeeded, 0 failed.');
    const none = successes.map((bucket) => ({ ...bucket, succeeded: 0 }));
    expect(describeBuckets(none, '3 days')).toBe('No attempts in the last 3 days');
  });
});
