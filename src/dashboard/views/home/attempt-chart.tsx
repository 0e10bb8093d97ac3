import type { AttemptBucket } from '../../../operations/overview-schemas.ts';
import { describeBuckets, sumBuckets } from './attempt-totals.ts';

/** Each bar has a space of 1. */
const BAR_MARGIN = 0.1;
const BAR_WIDTH = 1 - 2 * BAR_MARGIN;

interface Props {
  readonly buckets: readonly AttemptBucket[];
  /** As in "the last hour" or "the last 10 minutes". */
  readonly period: string;
}

/** Attempts over time: failures stand on successes. */
export function AttemptChart({ buckets, period }: Props) {
  const totals = sumBuckets(buckets);
  const max = Math.max(1, ...buckets.map(({ succeeded, failed }) => succeeded + failed));
  return (
    <figure class="stack">
      {/* The labels of the axes are beside the bars, never on them. */}
      <div class="chart">
        <span class="chart-scale" aria-hidden="true">
          <span>{max}</span>
          <span>0</span>
        </span>
        <svg
          viewBox={`0 ${-max} ${buckets.length} ${max}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={describeBuckets(buckets, period)}
        >
          {buckets.flatMap(({ starts_at: at, succeeded, failed }, index) => {
            const x = { x: index + BAR_MARGIN, width: BAR_WIDTH };
            return [
              succeeded > 0 && <rect key={at} class="succeeded" y={-succeeded} height={succeeded} {...x} />,
              failed > 0 && (
                <rect key={`${at} failed`} class="failed" y={-succeeded - failed} height={failed} {...x} />
              ),
            ];
          })}
          <path class="chart-axis" d={`M0 0H${buckets.length}`} />
        </svg>
        <span class="chart-times" aria-hidden="true">
          <span>{period === 'hour' ? '1 hour' : period} ago</span>
          <span>now</span>
        </span>
      </div>
      <figcaption class="row">
        <span class="badge succeeded">{totals.succeeded} succeeded</span>
        <span class="badge failed">{totals.failed} failed</span>
      </figcaption>
    </figure>
  );
}
