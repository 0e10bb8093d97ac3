/** Computes the retry schedule (§6, §8 and gaps `retry.*`), and parses `Retry-After`. */
import { HOUR_MS, SECOND_MS } from './duration.ts';

/** The retry window (§6, §8): no attempt starts later than this after the first. */
export const RETRY_WINDOW_MS = 72 * HOUR_MS;
/** The longest delay between two attempts (§8). */
export const MAX_RETRY_DELAY_MS = 24 * HOUR_MS;

export interface RetryPolicy {
  /** Delays after attempt 1, 2, 3 … in milliseconds; the last delay repeats. */
  readonly delaysMs: readonly number[];
  /** How many retries there are; null for as many as the window allows. */
  readonly maxRetries: number | null;
  /** No attempt starts later than this after the first (§8: 72 hours). */
  readonly windowMs: number;
  /** No delay between two attempts is longer (§8: 24 hours). */
  readonly maxDelayMs: number;
  /** Share by which a delay varies in both directions: 0 disables it, 0.1 is ±10 % (gap `retry.jitter`). */
  readonly jitter: number;
  /** Whether a receiver's `Retry-After` is honored (gap `retry.after`). */
  readonly honorRetryAfter: boolean;
  /** Whether a 410 response ends the delivery at once (gap `retry.410`). */
  readonly stopOn410: boolean;
}

export interface EndedAttempt {
  /** Schedule time from which the next delay counts: when the attempt was due, or when it began if that was later. */
  readonly startedAt: number;
  /** Schedule time at which the attempt ended; `Retry-After` counts from here. */
  readonly endedAt: number;
  readonly responseStatus: number | null;
  /** The receiver's `Retry-After` as a delay in milliseconds; null if it is missing or invalid. */
  readonly retryAfterMs: number | null;
}

export interface FailedAttempt extends EndedAttempt {
  /** Attempts made on the schedule, including this one. */
  readonly attemptCount: number;
  /** Schedule time of attempt 1, milliseconds since 1970. */
  readonly firstAttemptAt: number;
}

type RetryDecision =
  | { readonly status: 'pending'; readonly dueAt: number }
  | { readonly status: 'failed'; readonly reason: 'window_elapsed' | 'retry_not_allowed' | 'no_retry_left' };

/**
 * When the next attempt is due after a failed one, or why there is none.
 * @param random uniform in [0, 1); called once, only when the policy has jitter.
 */
export function decideRetry(policy: RetryPolicy, failed: FailedAttempt, random: () => number): RetryDecision {
  if (policy.stopOn410 && failed.responseStatus === 410)
    return { status: 'failed', reason: 'retry_not_allowed' };
  if (policy.maxRetries !== null && failed.attemptCount > policy.maxRetries)
    return { status: 'failed', reason: 'no_retry_left' };
  const dueAt = computeNextDueAt(policy, failed, random);
  return isPastWindow(policy, failed.firstAttemptAt, dueAt)
    ? { status: 'failed', reason: 'window_elapsed' }
    : { status: 'pending', dueAt };
}

/** Whether an attempt at `attemptAt` would start after the end of the retry window (gap `retry.schedule`). */
export function isPastWindow(policy: RetryPolicy, firstAttemptAt: number, attemptAt: number): boolean {
  return attemptAt - firstAttemptAt > policy.windowMs;
}

/** The delay after so many attempts, without jitter. */
export function getDelayMs({ delaysMs, maxDelayMs }: RetryPolicy, attemptsMade: number): number {
  return Math.min(delaysMs[attemptsMade - 1] ?? delaysMs.at(-1) ?? maxDelayMs, maxDelayMs);
}

function computeNextDueAt(policy: RetryPolicy, failed: FailedAttempt, random: () => number): number {
  const { attemptCount, firstAttemptAt, startedAt, endedAt, retryAfterMs } = failed;
  const delayMs = getDelayMs(policy, attemptCount);
  const variedDelayMs = policy.jitter === 0 ? delayMs : delayMs * (1 + policy.jitter * (2 * random() - 1));
  const latestAt = startedAt + policy.maxDelayMs;
  const plannedAt = Math.min(startedAt + variedDelayMs, latestAt);
  if (!policy.honorRetryAfter || retryAfterMs === null) return Math.round(plannedAt);
  // A delay longer than the rest of the window is shortened to it, so that `Retry-After` never prevents an attempt.
  const requestedAt = Math.min(endedAt + retryAfterMs, latestAt, firstAttemptAt + policy.windowMs);
  return Math.round(Math.max(plannedAt, requestedAt));
}

/** An HTTP date (RFC 9110, section 5.6.7): IMF-fixdate, RFC 850 or asctime. The first number is the day. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [^\d]*(\d+)[^\d].*\d\d:\d\d:\d\d(?: GMT| \d{4})$/;

/**
 * The delay that the header asks for.
 * @param value the header: whole seconds, or an HTTP date in any of its three forms
 * @param wallNowMs wall time in milliseconds since 1970; a date is relative to it
 * @returns milliseconds, at most `Number.MAX_SAFE_INTEGER`; 0 for a date in the past; null if it is invalid
 */
export function parseRetryAfter(value: string, wallNowMs: number): number | null {
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * SECOND_MS, Number.MAX_SAFE_INTEGER);
  const [, day] = HTTP_DATE.exec(text) ?? [];
  // asctime has no time zone.
  const dateMs = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`);
  // `Date.parse` reads 31 June as 1 July.
  if (day === undefined || new Date(dateMs).getUTCDate() !== Number(day)) return null;
  return Math.max(0, dateMs - wallNowMs);
}
