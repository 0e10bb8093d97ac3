/** A delivery, its attempts, and what one attempt leads to (§6 of the service description). Pure. */
import { decideRetry, type RetryPolicy } from './retry-policy.ts';

export const deliveryStatuses = ['pending', 'succeeded', 'failed', 'canceled'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** What caused an attempt: the retry schedule, or somebody who asked for a replay. */
export const attemptTriggers = ['schedule', 'manual'] as const;
export type AttemptTrigger = (typeof attemptTriggers)[number];

/**
 * How an attempt ended.
 * - `succeeded`: a 2xx status within the time limit (§6).
 * - `http_error`: any other status; a redirect is one, it is never followed.
 * - `timeout`: no connection or no complete answer within the time limit.
 * - `connection_error`: refused, reset, closed early, or not HTTP.
 * - `dns_error`: the host name does not resolve.
 * - `tls_error`: the certificate or the handshake was not acceptable.
 * - `blocked`: the address is one that the emulator never connects to.
 */
export const attemptOutcomes = [
  'succeeded',
  'http_error',
  'timeout',
  'connection_error',
  'dns_error',
  'tls_error',
  'blocked',
] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** A status as people see it; `paused` is a pending delivery whose endpoint is disabled (decision `delivery.paused`). */
export type DisplayStatus = DeliveryStatus | 'paused';

export const displayStatuses: readonly DisplayStatus[] = [...deliveryStatuses, 'paused'];

export function displayStatus(delivery: {
  readonly status: DeliveryStatus;
  readonly paused: boolean;
}): DisplayStatus {
  return delivery.paused ? 'paused' : delivery.status;
}

/** Why a delivery stopped without success; `replay_failed` also where it had succeeded before (decision `replay.failed`). */
export const settledReasons = [
  'window_elapsed',
  'retry_not_allowed',
  'endpoint_deleted',
  'replay_failed',
] as const;
export type SettledReason = (typeof settledReasons)[number];

/** What became of a delivery, in words. */
export const settledReasonDescriptions = {
  window_elapsed: 'no further attempt fits into the retry window',
  retry_not_allowed: 'the receiver answered 410 Gone',
  endpoint_deleted: 'its endpoint was deleted',
  replay_failed: 'the last replay failed',
} as const satisfies Record<SettledReason, string>;

/** What the next step depends on. Times are schedule time, milliseconds since 1970. */
export interface DeliveryProgress {
  /** When attempt 1 was due; null before it was made. The 72-hour window starts here. */
  readonly firstAttemptAt: number | null;
  /** Attempts made so far on the retry schedule, the one just made not counted. */
  readonly scheduledAttempts: number;
  /** Replays that were asked for and not yet made, the one just made not counted. */
  readonly pendingReplays: number;
  /** Whether an attempt succeeded before and a failed replay leaves it at that (decision `replay.failed`). */
  readonly keepsSuccess: boolean;
}

export interface AttemptResult {
  readonly outcome: AttemptOutcome;
  readonly responseStatus: number | null;
  /** The receiver's `Retry-After` as a wait in milliseconds, null when it sent none that can be read. */
  readonly retryAfterMs: number | null;
  /** Whether the delivery was still on its retry schedule when the attempt began. */
  readonly onSchedule: boolean;
  /** Schedule time from which the next gap counts, see {@link FailedAttempt}. */
  readonly startedAt: number;
  /** Schedule time at which the attempt ended. */
  readonly endedAt: number;
}

export type NextStep =
  | { readonly status: 'succeeded'; readonly reason: SettledReason | null }
  | { readonly status: 'failed'; readonly reason: SettledReason }
  | { readonly status: 'pending'; readonly dueAt: number };

/**
 * What follows an attempt.
 *
 * A replay that was asked for meanwhile goes first. A failure on the schedule leads to the next rung of the retry
 * ladder or, where that lies past the window, to `failed` at once (decision `retry.schedule`). A failed replay of
 * a delivery that had already settled settles it again and is not retried.
 */
export function nextStep(
  progress: DeliveryProgress,
  attempt: AttemptResult,
  policy: RetryPolicy,
  random: () => number,
): NextStep {
  if (progress.pendingReplays > 0) return { status: 'pending', dueAt: attempt.endedAt };
  if (attempt.outcome === 'succeeded') return { status: 'succeeded', reason: null };
  if (!attempt.onSchedule) {
    return { status: progress.keepsSuccess ? 'succeeded' : 'failed', reason: 'replay_failed' };
  }
  const firstAttemptAt = progress.firstAttemptAt ?? attempt.startedAt;
  return decideRetry(
    policy,
    { ...attempt, attemptCount: progress.scheduledAttempts + 1, firstAttemptAt },
    random,
  );
}

/** The most attempts that are foretold: a ladder may have thousands of rungs. */
const MAX_PLANNED = 100;

/** Where a delivery stands before its next attempt. */
export interface DeliveryProjection extends Omit<DeliveryProgress, 'keepsSuccess'> {
  /** When the next attempt is due; null when none is planned. */
  readonly dueAt: number | null;
  readonly onSchedule: boolean;
}

/**
 * When the attempts still to come are due if every one fails when it is due: as the policy plans them, without jitter
 * and without what the receiver may ask for. At most a hundred.
 */
export function projectAttempts(
  { dueAt, onSchedule, ...progress }: DeliveryProjection,
  policy: RetryPolicy,
): number[] {
  const planned: number[] = [];
  let { firstAttemptAt, scheduledAttempts, pendingReplays } = progress;
  for (let at = dueAt; at !== null && planned.length < MAX_PLANNED; ) {
    planned.push(at);
    pendingReplays = Math.max(0, pendingReplays - 1);
    const step = nextStep(
      { firstAttemptAt, scheduledAttempts, pendingReplays, keepsSuccess: false },
      {
        ...{ outcome: 'http_error', responseStatus: null, retryAfterMs: null, onSchedule },
        ...{ startedAt: at, endedAt: at },
      },
      { ...policy, jitter: 0 },
      () => 0,
    );
    firstAttemptAt ??= at;
    if (onSchedule) scheduledAttempts++;
    at = step.status === 'pending' ? step.dueAt : null;
  }
  return planned;
}
