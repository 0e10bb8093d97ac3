/** Computes the positions of a delivery's attempts in the timeline. Pure. */
import type { AttemptDetail, DeliveryDetail } from '../../../contract/delivery-schemas.ts';
import { HOUR_MS } from '../../../domain/duration.ts';
import { RETRY_WINDOW_MS } from '../../../domain/retry-policy.ts';

/** Longer gaps are collapsed: next to a day, five minutes would not be visible. */
const FOLDED_FROM_MS = HOUR_MS + 1;
/** Minimum share of a gap that is not collapsed. */
const SMALLEST_SHARE = 0.25;
const FOLDED_SHARE = 0.6;
const MAX_PLANNED = 8;

interface Step {
  /** Schedule time in milliseconds since 1970. */
  readonly at: number;
  /** Time since the first attempt. */
  readonly sinceFirstMs: number;
  /** The gap before this step; null for the first. */
  readonly gap: Gap | null;
}

export interface Gap {
  readonly ms: number;
  readonly isCollapsed: boolean;
  /** Relative length in the timeline, from 0 to 1. */
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

type Mark<Kind = TimelineStep> = Kind extends TimelineStep ? Omit<Kind, 'sinceFirstMs' | 'gap'> : never;

/** @param now schedule time in milliseconds since 1970; undefined when unknown */
export function buildTimeline(delivery: DeliveryDetail, now: number | undefined): TimelineStep[] {
  const marks = listMarks(delivery);
  const first = marks[0]?.at ?? 0;
  const gaps = marks.map(({ at }, index) => Math.max(0, at - (marks[index - 1]?.at ?? at)));
  const longest = Math.max(1, ...gaps.filter((ms) => ms < FOLDED_FROM_MS));
  return marks.map((mark, index) => ({
    ...mark,
    sinceFirstMs: mark.at - first,
    gap: index === 0 ? null : toGap(gaps[index] ?? 0, longest, findNow(mark.at, gaps[index] ?? 0, now)),
  }));
}

function listMarks(delivery: DeliveryDetail): Mark[] {
  const { attempts, planned_attempts: planned, status, settled_reason: reason } = delivery;
  const made = attempts.map(
    (attempt): Mark => ({ kind: 'attempt', at: Date.parse(attempt.scheduled_at), attempt }),
  );
  const ghosts = planned.map(
    (at, index): Mark => ({ kind: 'planned', at: Date.parse(at), number: attempts.length + index + 1 }),
  );
  const hidden = ghosts.splice(MAX_PLANNED);
  const [furthest] = hidden.slice(-1);
  const more: Mark[] =
    furthest === undefined ? [] : [{ kind: 'more', at: furthest.at, count: hidden.length }];
  const showsEnd = (status === 'pending' && planned.length > 0) || reason === 'window_elapsed';
  const start = (made[0] ?? ghosts[0])?.at;
  const end: Mark[] = showsEnd && start !== undefined ? [{ kind: 'end', at: start + RETRY_WINDOW_MS }] : [];
  return [...made, ...ghosts, ...more, ...end].sort((one, other) => one.at - other.at);
}

function findNow(end: number, ms: number, now: number | undefined): number | null {
  if (now === undefined || ms === 0 || now >= end || now < end - ms) return null;
  return (now - (end - ms)) / ms;
}

function toGap(ms: number, longest: number, now: number | null): Gap {
  const isFolded = ms >= FOLDED_FROM_MS;
  const share = isFolded ? FOLDED_SHARE : Math.max(SMALLEST_SHARE, ms / longest);
  return { ms, isCollapsed: isFolded, share, now };
}
