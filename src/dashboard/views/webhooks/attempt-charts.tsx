/** Small charts of attempts, oldest at the left. The text next to them contains the same numbers. */
import type { AttemptSummary } from '../../../contract/delivery-schemas.ts';
import { formatLatency } from '../../../domain/duration.ts';
import { computeAttemptStats } from './attempt-stats.ts';

interface Props {
  /** Newest first. */
  readonly attempts: readonly AttemptSummary[];
  /** How many attempts fit into the chart. */
  readonly slots: number;
}

/** Height of one half of the outcome chart, and of the latency chart. */
const HEIGHT = 20;
const BAR = 0.8;

/** Successes stand above the line, failures below it. */
export function OutcomeChart({ attempts, slots }: Props) {
  const shown = attempts.slice(0, slots);
  const succeeded = shown.filter(isSucceeded).length;
  const label = `Last ${shown.length} attempts: ${succeeded} succeeded, ${shown.length - succeeded} failed`;
  return (
    <svg
      class="webhooks-chart"
      viewBox={`0 ${-HEIGHT} ${slots} ${2 * HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path class="webhooks-axis" d={`M0 0H${slots}`} />
      {shown.map((attempt, index) => (
        <rect
          key={attempt.id}
          class={isSucceeded(attempt) ? 'succeeded' : 'failed'}
          x={slots - index - 1}
          y={isSucceeded(attempt) ? -HEIGHT : 0}
          width={BAR}
          height={HEIGHT}
        />
      ))}
    </svg>
  );
}

/** The scale is logarithmic, so that one attempt of ten seconds does not flatten those of ten milliseconds. */
export function LatencyChart({ attempts, slots }: Props) {
  const shown = attempts.slice(0, slots);
  const attemptStats = computeAttemptStats(shown);
  if (attemptStats === null) return null;
  const { p50, p95, longest } = attemptStats;
  const toHeight = (ms: number) => (HEIGHT * Math.log1p(ms)) / Math.log1p(Math.max(longest, 1));
  const label = `Durations of the last ${shown.length} attempts: p50 ${formatLatency(p50)}, p95 ${formatLatency(p95)}, longest ${formatLatency(longest)}`;
  return (
    <svg
      class="webhooks-chart"
      viewBox={`0 0 ${slots} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {shown.map((attempt, index) => (
        <rect
          key={attempt.id}
          class={isSucceeded(attempt) ? 'succeeded' : 'failed'}
          x={slots - index - 1}
          y={HEIGHT - toHeight(attempt.duration_ms)}
          width={BAR}
          height={toHeight(attempt.duration_ms)}
        />
      ))}
      {[p50, p95].map((ms, index) => (
        <path
          key={['p50', 'p95'][index]}
          class="webhooks-percentile"
          d={`M0 ${HEIGHT - toHeight(ms)}H${slots}`}
        />
      ))}
    </svg>
  );
}

function isSucceeded({ outcome }: AttemptSummary): boolean {
  return outcome === 'succeeded';
}
