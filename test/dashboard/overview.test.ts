/** The settings of the overview, the description of its chart, and the statuses that it shows. */
import { describe, expect, it } from 'vitest';
import {
  describeBuckets,
  formatPerMinute,
  sumBuckets,
} from '../../src/dashboard/views/overview/attempt-totals.ts';
import { parseSettings } from '../../src/dashboard/views/overview/overview-settings.ts';
import { listShownStatuses } from '../../src/dashboard/views/overview/shown-statuses.ts';

const buckets = [
  { starts_at: '2026-11-20T12:00:00.000Z', succeeded: 4, failed: 1, retried: 0 },
  { starts_at: '2026-11-20T12:00:10.000Z', succeeded: 0, failed: 3, retried: 2 },
  { starts_at: '2026-11-20T12:00:20.000Z', succeeded: 2, failed: 3, retried: 1 },
];

describe('parseSettings', () => {
  it('parseSettings reads the period and the clock, and ignores unknown values', () => {
    expect(parseSettings({ period: '24h', clock: 'schedule' })).toEqual({ period: '24h', clock: 'schedule' });
    expect(parseSettings({ period: 'toString', clock: 'sun' })).toEqual({ period: '10m', clock: 'wall' });
    expect(parseSettings({})).toEqual({ period: '10m', clock: 'wall' });
  });
});

describe('describeBuckets', () => {
  it('describeBuckets names the totals and the first bucket with the most failures', () => {
    expect(sumBuckets(buckets)).toEqual({ succeeded: 6, failed: 7, retried: 3 });
    expect(describeBuckets(buckets, 'hour')).toBe(
      'Attempts in the last hour: 6 succeeded, 7 failed, including 3 retries or replays. Most failed at 2026-11-20 12:00:10: 3.',
    );
  });

  it('describeBuckets names no worst bucket without failures, counts a single retry, and says when there are no attempts', () => {
    const successes = buckets.map((bucket) => ({ ...bucket, failed: 0 }));
    expect(describeBuckets(successes, 'hour')).toBe(
      'Attempts in the last hour: 6 succeeded, 0 failed, including 3 retries or replays.',
    );
    const once = [{ ...buckets[0], succeeded: 1, failed: 0, retried: 1 }] as typeof buckets;
    expect(describeBuckets(once, 'hour')).toBe(
      'Attempts in the last hour: 1 succeeded, 0 failed, including 1 retry or replay.',
    );
    const none = successes.map((bucket) => ({ ...bucket, succeeded: 0, retried: 0 }));
    expect(describeBuckets(none, '3 days')).toBe('No attempts in the last 3 days');
  });
});

it.each([
  [0, 10, '0'],
  [3, 10, '0.3'],
  [3, 60, 'under 0.1'],
  [25, 10, '2.5'],
  [1234, 10, '123'],
])('formatPerMinute returns the rate of %d attempts in %d minutes', (count, minutes, rate) => {
  expect(formatPerMinute(count, minutes * 60_000)).toBe(rate);
});

it.each([
  [{ pending: 3, failing: 2, paused: 1 }, ['failing', 'paused']],
  [{ pending: 4, failing: 2, paused: 1 }, ['failing', 'paused', 'pending']],
  [{ failed: 1, canceled: 1 }, ['failed', 'canceled']],
  [{}, []],
])('listShownStatuses lists for %o the statuses %j, and pending only if others wait', (counts, statuses) => {
  const none = { pending: 0, failing: 0, paused: 0, failed: 0, canceled: 0 };
  expect(listShownStatuses({ ...none, ...counts })).toEqual(statuses);
});
