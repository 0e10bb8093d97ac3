/** The retry ladder (§6, §8 and decisions `retry.*`). Pure: times in, times out. */
import { HOUR_MS } from './duration.ts';

/** The retry window (§6, §8): no attempt starts later than this after the first. */
export const RETRY_WINDOW_MS = 72 * HOUR_MS;
/** The longest wait between two attempts (§8). */
export const MAX_RETRY_GAP_MS = 24 * HOUR_MS;

export interface RetryPolicy {
  /** Waits after attempt 1, 2, 3 … in milliseconds; past the last one the last one repeats. */
  readonly gapsMs: readonly number[];
  /** No attempt starts later than this after the first (§8: 72 hours). */
  readonly windowMs: number;
  /** No wait between two attempts is longer (§8: 24 hours). */
  readonly maxGapMs: number;
  /** Share by which a wait is varied both ways: 0 is none, 0.1 is ±10 % (decision `retry.jitter`). */
  readonly jitter: number;
  /** Whether a receiver's `Retry-After` is heeded (decision `retry.after`). */
  readonly honorRetryAfter: boolean;
  /** Whether a 410 answer ends the delivery at once (decision `retry.410`). */
  readonly stopOn410: boolean;
}

export interface FailedAttempt {
  /** Attempts made on the schedule so far, this one included. */
  readonly attemptCount: number;
  /** Schedule time of attempt 1, milliseconds since 1970. */
  readonly firstAttemptAt: number;
  /** Schedule time from which the next gap counts: when the attempt was due, or when it began if that was later. */
  readonly startedAt: number;
  /** Schedule time at which the receiver had answered; `Retry-After` counts from here. */
  readonly endedAt: number;
  readonly responseStatus: number | null;
  /** The receiver's `Retry-After` as a wait in milliseconds; null when absent or unreadable. */
  readonly retryAfterMs: number | null;
}

export type RetryDecision =
  | { readonly status: 'pending'; readonly dueAt: number }
  | { readonly status: 'failed'; readonly reason: 'window_elapsed' | 'retry_not_allowed' };

/**
 * When the next attempt of a failed delivery is due, or that there is none.
 * @param random uniform in [0, 1); called once, and only when the policy has jitter.
 */
export function decideRetry(policy: RetryPolicy, failed: FailedAttempt, random: () => number): RetryDecision {
  if (policy.stopOn410 && failed.responseStatus === 410)
    return { status: 'failed', reason: 'retry_not_allowed' };
  const dueAt = nextDueAt(policy, failed, random);
  return isPastWindow(policy, failed.firstAttemptAt, dueAt)
    ? { status: 'failed', reason: 'window_elapsed' }
    : { status: 'pending', dueAt };
}

/** Whether an attempt at `at` would start later than the window after the first (decision `retry.schedule`). */
export function isPastWindow(policy: RetryPolicy, firstAttemptAt: number, at: number): boolean {
  return at - firstAttemptAt > policy.windowMs;
}

/** How many attempts a delivery gets that always fails, where every wait is as planned. */
export function countAttempts(policy: RetryPolicy): number {
  let count = 1;
  for (let at = gapAfter(policy, count); !isPastWindow(policy, 0, at); at += gapAfter(policy, count)) count++;
  return count;
}

function gapAfter({ gapsMs, maxGapMs }: RetryPolicy, attemptsMade: number): number {
  return Math.min(gapsMs[attemptsMade - 1] ?? gapsMs.at(-1) ?? maxGapMs, maxGapMs);
}

function nextDueAt(policy: RetryPolicy, failed: FailedAttempt, random: () => number): number {
  const { attemptCount, firstAttemptAt, startedAt, endedAt, retryAfterMs } = failed;
  const gap = gapAfter(policy, attemptCount);
  const varied = policy.jitter === 0 ? gap : gap * (1 + policy.jitter * (2 * random() - 1));
  const longestAt = startedAt + policy.maxGapMs;
  const planned = Math.min(startedAt + varied, longestAt);
  if (!policy.honorRetryAfter || retryAfterMs === null) return Math.round(planned);
  // A receiver that asks for more than is left of the window gets what is left: its hint takes no attempt away.
  const asked = Math.min(endedAt + retryAfterMs, longestAt, firstAttemptAt + policy.windowMs);
  return Math.round(Math.max(planned, asked));
}
