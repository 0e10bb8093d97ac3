/** Totals of the attempts in a period, and their description. */
import type { AttemptBucket } from '../../../operations/overview-schemas.ts';
import { formatUtc } from '../clock/clock-format.ts';

export function sumBuckets(buckets: readonly AttemptBucket[]): Pick<AttemptBucket, 'succeeded' | 'failed'> {
  return buckets.reduce(
    (sum, { succeeded, failed }) => ({
      succeeded: sum.succeeded + succeeded,
      failed: sum.failed + failed,
    }),
    { succeeded: 0, failed: 0 },
  );
}

/** `Attempts in the last hour: 120 succeeded, 30 failed. Most failed at 2026-11-20 12:03:10: 8.` */
export function describeBuckets(buckets: readonly AttemptBucket[], period: string): string {
  const { succeeded, failed } = sumBuckets(buckets);
  if (succeeded + failed === 0) return `No attempts in the last ${period}`;
  const worst = buckets.reduce((most, bucket) => (bucket.failed > most.failed ? bucket : most));
  const summary = `Attempts in the last ${period}: ${succeeded} succeeded, ${failed} failed.`;
  return failed === 0
    ? summary
    : `${summary} Most failed at ${formatUtc(Date.parse(worst.starts_at))}: ${worst.failed}.`;
}
