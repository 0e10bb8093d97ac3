/** How an endpoint fares, by its newest attempts. */
import type { AttemptSummary } from '../../../contract/delivery-schemas.ts';

export interface AttemptStats {
  readonly count: number;
  readonly succeeded: number;
  /** Milliseconds within which half of them, and 95 of 100, were answered or had failed. */
  readonly p50: number;
  readonly p95: number;
  readonly longest: number;
}

type Measured = Pick<AttemptSummary, 'outcome' | 'duration_ms'>;

/** Null where there is none. */
export function computeAttemptStats(attempts: readonly Measured[]): AttemptStats | null {
  if (attempts.length === 0) return null;
  const durations = attempts.map(({ duration_ms: ms }) => ms).sort((a, b) => a - b);
  return {
    count: attempts.length,
    succeeded: attempts.filter(({ outcome }) => outcome === 'succeeded').length,
    p50: percentile(durations, 0.5),
    p95: percentile(durations, 0.95),
    longest: percentile(durations, 1),
  };
}

/** `100%` and `0%` are only said of all and of none: `99.5%`. */
export function formatSuccessRate({ count, succeeded }: Pick<AttemptStats, 'count' | 'succeeded'>): string {
  const percent = (100 * succeeded) / count;
  const isNearEnd = (percent > 99 && percent < 100) || (percent > 0 && percent < 1);
  return `${isNearEnd ? percent.toFixed(1) : Math.round(percent)}%`;
}

/** What came first in `before`, and what has been heard since, newest first; what is in both counts once. */
export function mergeNewest<Item extends { readonly id: string }>(
  heard: readonly Item[],
  before: readonly Item[],
  most: number,
): Item[] {
  const known = new Set(heard.map(({ id }) => id));
  return [...heard, ...before.filter(({ id }) => !known.has(id))].slice(0, most);
}

/** The smallest value that the share of all values does not exceed. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
}
