/** Computes the positions of a delivery's attempts in the timeline. */
import type { AttemptDetail, DeliveryDetail } from '../../../contract/delivery-schemas.ts';
import { HOUR_MS } from '../../../domain/duration.ts';
import { RETRY_WINDOW_MS } from '../../../domain/retry-policy.ts';

/** Longer gaps are collapsed: next to a day, five minutes would not be visible. */
const MAX_SCALED_MS = HOUR_MS;
/** Minimum length of a gap that is not collapsed, relative to the longest such gap. */
const MIN_SHARE = 0.25;
/** Length of a collapsed gap, relative to the longest gap that is not collapsed. */
const COLLAPSED_SHARE = 0.6;
/** Further planned attempts are only counted. */
const MAX_PLANNED = 8;

interface Step {
  /** Schedule time in milliseconds since 1970. */
  readonly at: number;
  readonly sinceFirstMs: number;
  /** The gap before this step; null for the first. */
  readonly gap: Gap | null;
}

export interface Gap {
  readonly ms: number;
  readonly isCollapsed: boolean;
  /** Length in the timeline, from 0 to 1. The longest gap that is not collapsed has 1. */
  readonly share: number;
  /** Position of the current time in the gap, from 0 to 1; null when it is elsewhere. */
  readonly now: number | null;
}

export type TimelineStep = Step &
  (
    | { readonly kind: 'attempt'; readonly attempt: AttemptDetail }
    /** An attempt that is made if the ones before it fail. */
    | { readonly kind: 'planned'; readonly number: number }
    /** Planned attempts beyond the limit. */
    | { readonly kind: 'more'; readonly count: number }
    /** The end of the retry window. */
    | { readonly kind: 'end' }
  );

/** A step before its position is computed. Conditional, so that `Omit` applies to each kind of step. */
type Entry<Kind = TimelineStep> = Kind extends TimelineStep ? Omit<Kind, 'sinceFirstMs' | 'gap'> : never;

/** @param now schedule time in milliseconds since 1970; undefined when unknown */
export function buildTimeline(delivery: DeliveryDetail, now: number | undefined): TimelineStep[] {
  const entries = listEntries(delivery);
  const first = entries[0]?.at ?? 0;
  const gaps = entries.map(({ at }, index) => Math.max(0, at - (entries[index - 1]?.at ?? at)));
  const longestScaled = Math.max(1, ...gaps.filter((ms) => ms <= MAX_SCALED_MS));
  return entries.map((entry, index) => ({
    ...entry,
    sinceFirstMs: entry.at - first,
    gap:
      index === 0 ? null : toGap(gaps[index] ?? 0, longestScaled, findNow(entry.at, gaps[index] ?? 0, now)),
  }));
}

function listEntries(delivery: DeliveryDetail): Entry[] {
  const { attempts, planned_attempts: planned, status, settled_reason: reason } = delivery;
  const attemptEntries = attempts.map(
    (attempt): Entry => ({ kind: 'attempt', at: Date.parse(attempt.scheduled_at), attempt }),
  );
  const plannedEntries = planned.map(
    (at, index): Entry => ({ kind: 'planned', at: Date.parse(at), number: attempts.length + index + 1 }),
  );
  const hiddenEntries = plannedEntries.splice(MAX_PLANNED);
  const lastHidden = hiddenEntries.at(-1);
  const more: Entry[] =
    lastHidden === undefined ? [] : [{ kind: 'more', at: lastHidden.at, count: hiddenEntries.length }];
  const hasEnd = (status === 'pending' && planned.length > 0) || reason === 'window_elapsed';
  const start = (attemptEntries[0] ?? plannedEntries[0])?.at;
  const end: Entry[] = hasEnd && start !== undefined ? [{ kind: 'end', at: start + RETRY_WINDOW_MS }] : [];
  return [...attemptEntries, ...plannedEntries, ...more, ...end].sort((a, b) => a.at - b.at);
}

/** Position of the current time in the gap of `ms` that ends at `end`. */
function findNow(end: number, ms: number, now: number | undefined): number | null {
  if (now === undefined || ms === 0 || now >= end || now < end - ms) return null;
  return (now - (end - ms)) / ms;
}

function toGap(ms: number, longestScaled: number, now: number | null): Gap {
  const isCollapsed = ms > MAX_SCALED_MS;
  const share = isCollapsed ? COLLAPSED_SHARE : Math.max(MIN_SHARE, ms / longestScaled);
  return { ms, isCollapsed, share, now };
}
