import type { AttemptBucket, Overview } from '../../../contract/overview-schemas.ts';
import { formatDuration } from '../../../domain/duration.ts';
import { formatUtc } from '../clock/clock-format.ts';
import { describeBuckets, formatPerMinute, sumBuckets } from './attempt-totals.ts';

/** Each bar has a space of 1. */
const BAR_MARGIN = 0.1;
const BAR_WIDTH = 1 - 2 * BAR_MARGIN;

interface Props {
  readonly overview: Pick<Overview, 'buckets' | 'bucket_ms' | 'clock'>;
  /** As in "the last hour" or "the last 10 minutes". */
  readonly period: string;
}

/** Successes stand above the line, failures below it. A line shows how many attempts were not the first. */
export function AttemptChart({ overview: { buckets, bucket_ms: bucketMs, clock }, period }: Props) {
  const totals = sumBuckets(buckets);
  const maxAbove = Math.max(...buckets.flatMap(({ succeeded, retried }) => [succeeded, retried]));
  const heightAbove = Math.max(1, maxAbove);
  const maxFailed = Math.max(...buckets.map(({ failed }) => failed));
  const retries = buckets.flatMap(({ retried }, index) => (retried > 0 ? [`M${index} ${-retried}h1`] : []));
  return (
    <figure class="overview-chart stack">
      <div class="overview-plot">
        {maxAbove > 0 && (
          <span class="muted overview-max-above" aria-hidden="true">
            {maxAbove}
          </span>
        )}
        <svg
          viewBox={`0 ${-heightAbove} ${buckets.length} ${heightAbove + maxFailed}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={describeBuckets(buckets, period)}
        >
          {buckets.map(({ starts_at: at, succeeded, failed }, index) => (
            <g key={at}>
              {succeeded > 0 && (
                <rect
                  class="succeeded"
                  x={index + BAR_MARGIN}
                  y={-succeeded}
                  width={BAR_WIDTH}
                  height={succeeded}
                />
              )}
              {failed > 0 && (
                <rect class="failed" x={index + BAR_MARGIN} y={0} width={BAR_WIDTH} height={failed} />
              )}
            </g>
          ))}
          <path class="overview-retries" d={retries.join('')} />
          <path class="overview-axis" d={`M0 0H${buckets.length}`} />
        </svg>
        {maxFailed > 0 && (
          <span class="muted overview-max-below" aria-hidden="true">
            {maxFailed}
          </span>
        )}
        <span class="row muted overview-times" aria-hidden="true">
          <span>{period === 'hour' ? '1 hour' : period} ago</span>
          <span>now</span>
        </span>
      </div>
      <figcaption class="row">
        <span class="overview-legend succeeded">
          {totals.succeeded} succeeded ({formatPerMinute(totals.succeeded, buckets.length * bucketMs)} per
          minute)
        </span>
        <span class="overview-legend failed">{totals.failed} failed</span>
        <span class="overview-legend retried">including {totals.retried} retries or replays</span>
        <span class="muted">in the last {period}</span>
      </figcaption>
      <details>
        <summary>Show as table</summary>
        <BucketTable buckets={buckets} bucketMs={bucketMs} clock={clock} />
      </details>
    </figure>
  );
}

interface BucketTableProps {
  readonly buckets: readonly AttemptBucket[];
  readonly bucketMs: number;
  readonly clock: Overview['clock'];
}

/** The parts of the period in which attempts were made, newest first. */
function BucketTable({ buckets, bucketMs, clock }: BucketTableProps) {
  const shown = buckets.filter(({ succeeded, failed }) => succeeded + failed > 0).reverse();
  if (shown.length === 0) return <p class="muted">No attempts were made in this period.</p>;
  return (
    <table class="overview-table">
      <thead>
        <tr>
          <th scope="col">
            {formatDuration(bucketMs)} from ({clock === 'wall' ? 'real' : 'schedule'} time)
          </th>
          <th scope="col">Succeeded</th>
          <th scope="col">Failed</th>
          <th scope="col">Retries or replays</th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ starts_at: at, succeeded, failed, retried }) => (
          <tr key={at}>
            <th scope="row">
              <time dateTime={at}>{formatUtc(Date.parse(at))}</time>
            </th>
            <td>{succeeded}</td>
            <td>{failed}</td>
            <td>{retried}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
