/** Totals of the attempts in a period, and their description. */
import type { AttemptBucket } from '../../../contract/overview-schemas.ts';
import { MINUTE_MS } from '../../../domain/duration.ts';
import { formatUtc } from '../clock/clock-format.ts';

type Totals = Omit<AttemptBucket, 'starts_at'>;

export function sumBuckets(buckets: readonly AttemptBucket[]): Totals {
  return buckets.reduce<Totals>(
    (sum, { succeeded, failed, retried }) => ({
      succeeded: sum.succeeded + succeeded,
      failed: sum.failed + failed,
      retried: sum.retried + retried,
    }),
    { succeeded: 0, failed: 0, retried: 0 },
  );
}

/** `Attempts in the last hour: 120 succeeded, 30 failed, including 25 retries or replays. Most failed at 2026-11-20 12:03:10: 8.` */
export function describeBuckets(buckets: readonly AttemptBucket[], period: string): string {
  const { succeeded, failed, retried } = sumBuckets(buckets);
  if (succeeded + failed === 0) return `No attempts in the last ${period}`;
  const worst = buckets.reduce((most, bucket) => (bucket.failed > most.failed ? bucket : most));
  const summary = `Attempts in the last ${period}: ${succeeded} succeeded, ${failed} failed, including ${retried} ${retried === 1 ? 'retry or replay' : 'retries or replays'}.`;
  return failed === 0
    ? summary
    : `${summary} Most failed at ${formatUtc(Date.parse(worst.starts_at))}: ${worst.failed}.`;
}

/** A count per minute: `0.4`, `2.5`, `120`; `under 0.1` for a smaller rate than that. */
export function formatPerMinute(count: number, periodMs: number): string {
  const rate = (count * MINUTE_MS) / periodMs;
  if (rate > 0 && rate < 0.1) return 'under 0.1';
  return String(rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate));
}
