/** Statistics of the latest attempts to an endpoint. */
import type { AttemptSummary } from '../../../contract/delivery-schemas.ts';

interface AttemptStats {
  readonly count: number;
  readonly succeeded: number;
  /** Percentiles of the durations, in milliseconds. */
  readonly p50: number;
  readonly p95: number;
  readonly longest: number;
}

type Measured = Pick<AttemptSummary, 'outcome' | 'duration_ms'>;

/** Null without attempts. */
export function computeAttemptStats(attempts: readonly Measured[]): AttemptStats | null {
  if (attempts.length === 0) return null;
  const durations = attempts.map(({ duration_ms: ms }) => ms).sort((a, b) => a - b);
  return {
    count: attempts.length,
    succeeded: attempts.filter(({ outcome }) => outcome === 'succeeded').length,
    p50: findPercentile(durations, 0.5),
    p95: findPercentile(durations, 0.95),
    longest: findPercentile(durations, 1),
  };
}

/** `99.5%`, not rounded to `100%` or `0%` unless all attempts or none succeeded. */
export function formatSuccessRate({ count, succeeded }: Pick<AttemptStats, 'count' | 'succeeded'>): string {
  const percent = (100 * succeeded) / count;
  const isNearEnd = (percent > 99 && percent < 100) || (percent > 0 && percent < 1);
  return `${isNearEnd ? percent.toFixed(1) : Math.round(percent)}%`;
}

/** Merges new items with existing ones, newest first. A new item replaces an existing one with the same ID. */
export function mergeNewest<Item extends { readonly id: string }>(
  newItems: readonly Item[],
  oldItems: readonly Item[],
  limit: number,
): Item[] {
  const newIds = new Set(newItems.map(({ id }) => id));
  return [...newItems, ...oldItems.filter(({ id }) => !newIds.has(id))].slice(0, limit);
}

/** The smallest value such that at least `share` of all values are not larger. */
function findPercentile(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
}
