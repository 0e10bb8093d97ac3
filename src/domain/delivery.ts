/** The states of a delivery and the transition after each attempt (§6 of the service description). */
import { decideRetry, type EndedAttempt, type RetryPolicy } from './retry-policy.ts';

export const settledStatuses = ['succeeded', 'failed', 'canceled'] as const;
export type SettledStatus = (typeof settledStatuses)[number];
export const deliveryStatuses = ['pending', ...settledStatuses] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** What caused an attempt: the retry schedule or a replay. */
export const attemptTriggers = ['schedule', 'manual'] as const;
export type AttemptTrigger = (typeof attemptTriggers)[number];

/**
 * How an attempt ended without a complete response.
 * - `timeout`: no connection or no complete response within the time limit.
 * - `connection_error`: refused, reset, closed early, or not HTTP.
 * - `dns_error`: the host name does not resolve.
 * - `tls_error`: the certificate is not trusted, or the handshake failed.
 * - `blocked`: the emulator never connects to this address.
 */
export const noResponseOutcomes = [
  'timeout',
  'connection_error',
  'dns_error',
  'tls_error',
  'blocked',
] as const;

/**
 * How an attempt ended. `succeeded`: a 2xx status within the time limit (§6). `http_error`: any other status, including a
 * redirect, which is never followed.
 */
export const attemptOutcomes = ['succeeded', 'http_error', ...noResponseOutcomes] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** How the error of an attempt starts if the receiver refused the connection. */
export const CONNECTION_REFUSED = 'connection refused';

const failureDescriptions = {
  timeout: 'timed out',
  connection_error: 'connection failed',
  dns_error: 'DNS lookup failed',
  tls_error: 'TLS failed',
  blocked: 'blocked',
} as const satisfies Record<(typeof noResponseOutcomes)[number], string>;

/** What happened, for people: the status of the response (`503`), or why there was no complete response (`timed out`). */
export function describeOutcome(attempt: {
  readonly outcome: AttemptOutcome;
  readonly response_status: number | null;
  readonly error: string | null;
}): string {
  const { outcome, response_status: status, error } = attempt;
  if (outcome === 'succeeded' || outcome === 'http_error') return String(status);
  return error?.startsWith(CONNECTION_REFUSED) ? CONNECTION_REFUSED : failureDescriptions[outcome];
}

/**
 * A status for display, in the order of urgency. Two of them are pending deliveries: `failing` after an attempt that failed,
 * and `paused` while the endpoint is disabled (gap `delivery.paused`).
 */
export const displayStatuses = ['failing', 'failed', 'pending', 'paused', 'succeeded', 'canceled'] as const;
export type DisplayStatus = (typeof displayStatuses)[number];

/** What lists can be filtered by. `unsuccessful` selects failing and failed deliveries. */
export const deliveryStatusFilters = ['unsuccessful', ...displayStatuses] as const;
export type DeliveryStatusFilter = (typeof deliveryStatusFilters)[number];

export function getDisplayStatus({
  status,
  paused,
  last_attempt: lastAttempt,
}: {
  readonly status: DeliveryStatus;
  readonly paused: boolean;
  readonly last_attempt: { readonly outcome: AttemptOutcome } | null;
}): DisplayStatus {
  if (paused) return 'paused';
  const isFailing = status === 'pending' && lastAttempt !== null && lastAttempt.outcome !== 'succeeded';
  return isFailing ? 'failing' : status;
}

/** Counts of deliveries by status stop here, so that counting takes a bounded time. */
export const MAX_DELIVERY_COUNT = 1_000;

/** Why a delivery stopped without success. A delivery that succeeded before can have `replay_failed` (gap `replay.failed`). */
export const settledReasons = [
  'window_elapsed',
  'retry_not_allowed',
  'no_retry_left',
  'endpoint_deleted',
  'replay_failed',
] as const;
export type SettledReason = (typeof settledReasons)[number];

export const settledReasonDescriptions = {
  window_elapsed: 'no further attempt fits into the retry window',
  retry_not_allowed: 'the receiver returned 410 Gone',
  no_retry_left: 'the sender has no further retry',
  endpoint_deleted: 'the endpoint was deleted',
  replay_failed: 'the last replay failed',
} as const satisfies Record<SettledReason, string>;

/** The state before an attempt ended. Times are schedule time, milliseconds since 1970. */
export interface DeliveryProgress {
  /** When attempt 1 was due; null before it was made. The retry window starts here. */
  readonly firstAttemptAt: number | null;
  /** Attempts made on the retry schedule, without the one just made. */
  readonly scheduledAttempts: number;
  /** Requested replays that have not been sent, without the one just sent. */
  readonly waitingReplays: number;
  /** Whether an attempt succeeded before and a failed replay does not change that (gap `replay.failed`). */
  readonly keepsSuccess: boolean;
}

export interface AttemptResult extends EndedAttempt {
  readonly outcome: AttemptOutcome;
  /** Whether the delivery was still on its retry schedule when the attempt began. */
  readonly onSchedule: boolean;
}

type NextStep =
  | { readonly status: 'succeeded'; readonly reason: SettledReason | null }
  | { readonly status: 'failed'; readonly reason: SettledReason }
  | { readonly status: 'pending'; readonly dueAt: number };

/**
 * The state of a delivery after an attempt.
 *
 * A replay that was requested meanwhile is sent first. A failure on the schedule leads to the next retry or, when that
 * would start after the retry window, to `failed` at once (gap `retry.schedule`). A failed replay of a delivery that
 * had already settled settles it again and is not retried.
 * @param random uniform in [0, 1), for the jitter
 */
export function decideNextStep(
  progress: DeliveryProgress,
  attempt: AttemptResult,
  policy: RetryPolicy,
  random: () => number,
): NextStep {
  if (progress.waitingReplays > 0) return { status: 'pending', dueAt: attempt.endedAt };
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

/** Limits a projection: a retry schedule can have thousands of attempts. */
const MAX_PROJECTED_ATTEMPTS = 100;

/** The state of a delivery before its next attempt. */
export interface DeliveryProjection extends Omit<DeliveryProgress, 'keepsSuccess'> {
  /** When the next attempt is due; null when no attempt is due. */
  readonly dueAt: number | null;
  readonly onSchedule: boolean;
}

/**
 * The due times of the remaining attempts if every one fails. Those after the next attempt are without jitter and without a
 * `Retry-After` of the receiver. At most a hundred.
 */
export function projectAttempts(
  { dueAt, onSchedule, ...progress }: DeliveryProjection,
  policy: RetryPolicy,
): number[] {
  const dueTimes: number[] = [];
  let { firstAttemptAt, scheduledAttempts, waitingReplays } = progress;
  for (let at = dueAt; at !== null && dueTimes.length < MAX_PROJECTED_ATTEMPTS; ) {
    dueTimes.push(at);
    waitingReplays = Math.max(0, waitingReplays - 1);
    const step = decideNextStep(
      { firstAttemptAt, scheduledAttempts, waitingReplays, keepsSuccess: false },
      {
        outcome: 'http_error',
        responseStatus: null,
        retryAfterMs: null,
        onSchedule,
        startedAt: at,
        endedAt: at,
      },
      { ...policy, jitter: 0 },
      () => 0,
    );
    firstAttemptAt ??= at;
    if (onSchedule) scheduledAttempts++;
    at = step.status === 'pending' ? step.dueAt : null;
  }
  return dueTimes;
}

const PASSED = '✓';
const FAILED = '✗';
const NEUTRAL = '–';

export const deliveryStatusSymbols = {
  pending: '…',
  failing: '↻',
  paused: '‖',
  succeeded: PASSED,
  failed: FAILED,
  canceled: NEUTRAL,
} as const satisfies Record<DisplayStatus, string>;

/** For findings (`svc doctor`, probes) and for checks of a receiver. */
export const checkStatusSymbols = {
  ok: PASSED,
  passed: PASSED,
  confirmed: PASSED,
  warning: '!',
  problem: FAILED,
  failed: FAILED,
  different: FAILED,
  skipped: NEUTRAL,
  no_evidence: NEUTRAL,
  inconclusive: NEUTRAL,
} as const;
