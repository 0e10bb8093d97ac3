/** Small drawings of attempts, oldest at the left. The figures beside them say the same in words. */
import type { AttemptSummary } from '../../../contract/delivery-schemas.ts';
import { formatLatency } from '../../../domain/duration.ts';
import { computeAttemptStats } from './attempt-stats.ts';

interface Props {
  /** Newest first. */
  readonly attempts: readonly AttemptSummary[];
  /** How many have a place. */
  readonly slots: number;
}

/** Half the height of the drawing of outcomes, and the whole of that of durations. */
const HEIGHT = 20;
const BAR = 0.8;

/** What succeeded stands above the line, what failed hangs below it. */
export function OutcomeChart({ attempts, slots }: Props) {
  const shown = attempts.slice(0, slots);
  const succeeded = shown.filter(isSucceeded).length;
  const label = `Newest ${shown.length} attempts: ${succeeded} succeeded, ${shown.length - succeeded} failed`;
  return (
    <svg
      class="webhooks-plot"
      viewBox={`0 ${-HEIGHT} ${slots} ${2 * HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path class="webhooks-axis" d={`M0 0H${slots}`} />
      {shown.map((attempt, index) => (
        <rect
          key={attempt.id}
          class={isSucceeded(attempt) ? 'good' : 'bad'}
          x={slots - index - 1}
          y={isSucceeded(attempt) ? -HEIGHT : 0}
          width={BAR}
          height={HEIGHT}
        />
      ))}
    </svg>
  );
}

/** By the logarithm: one that took ten seconds must not flatten those that took ten milliseconds. */
export function LatencyChart({ attempts, slots }: Props) {
  const shown = attempts.slice(0, slots);
  const attemptStats = computeAttemptStats(shown);
  if (attemptStats === null) return null;
  const { p50, p95, longest } = attemptStats;
  const toHeight = (ms: number) => (HEIGHT * Math.log1p(ms)) / Math.log1p(Math.max(longest, 1));
  const label = `Durations of the newest ${shown.length} attempts: half within ${formatLatency(p50)}, 95% within ${formatLatency(p95)}, the longest ${formatLatency(longest)}`;
  return (
    <svg
      class="webhooks-plot"
      viewBox={`0 0 ${slots} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {shown.map((attempt, index) => (
        <rect
          key={attempt.id}
          class={isSucceeded(attempt) ? 'good' : 'bad'}
          x={slots - index - 1}
          y={HEIGHT - toHeight(attempt.duration_ms)}
          width={BAR}
          height={toHeight(attempt.duration_ms)}
        />
      ))}
      {[p50, p95].map((ms, index) => (
        <path key={['p50', 'p95'][index]} class="webhooks-mark" d={`M0 ${HEIGHT - toHeight(ms)}H${slots}`} />
      ))}
    </svg>
  );
}

function isSucceeded({ outcome }: AttemptSummary): boolean {
  return outcome === 'succeeded';
}
