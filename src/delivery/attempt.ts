/** One attempt: what is sent, and what it makes of its delivery. */
import { type AttemptTrigger, nextStep } from '../domain/delivery.ts';
import { SECOND_MS } from '../domain/duration.ts';
import { type DeliveryToSign, signDelivery } from '../domain/signature/sign.ts';
import { persistClockIfNeeded } from '../sandbox/clock-persistence.ts';
import type { FiredFault } from '../sandbox/faults.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { LoadedWorkspace } from '../sandbox/workspace-registry.ts';
import type { DeliveryChange, DeliveryProgressRow, SendableDelivery } from '../store/deliveries.ts';
import type { WebhookRow } from '../store/webhooks.ts';
import { VERSION } from '../version.ts';
import { applySignatureFault } from './delivery-faults.ts';
import type { SendRequest, SendResult } from './sender.ts';

/** An attempt that begins within this much real time of its due instant was on time. */
const ON_TIME_MS = SECOND_MS;

export interface PreparedAttempt {
  readonly claim: SendableDelivery;
  readonly request: DeliveryRequest;
  /** Wall time of sending. */
  readonly sentAt: number;
  /** Schedule time from which the next gap counts. */
  readonly startedAt: number;
  /** The `AppliedFault` of the fault that touches it, or that has held it back, as JSON. */
  readonly faultMark: string | null;
}

/** Text it is, because JSON is. */
export type DeliveryRequest = SendRequest & { readonly body: string };

/**
 * Signs a delivery at the moment of sending: every attempt has its own timestamp and signature (§6).
 * @param fault that meets it.
 */
export function prepareAttempt(
  sandbox: Sandbox,
  workspace: LoadedWorkspace,
  claim: SendableDelivery,
  fault: FiredFault | undefined,
): PreparedAttempt {
  const { wall, rules } = sandbox;
  const { id, body } = claim;
  const now = workspace.clock.now();
  const sentAt = wall.now();
  const secrets = getSigningSecrets(claim, now);
  const toSign = { scheme: rules.signature, secrets, id, timestampMs: sentAt, body };
  return {
    claim,
    request: toDeliveryRequest(claim, applySignatureFault(sandbox, claim, toSign, fault)),
    sentAt,
    startedAt: getAttemptStart(claim, workspace),
    faultMark: claim.fault ?? (fault ? JSON.stringify(fault.mark) : null),
  };
}

type Target = Pick<WebhookRow, 'url' | 'headers' | 'skip_verify'>;

/** The request of a delivery, signed (§6). */
export function toDeliveryRequest(
  target: Target,
  delivery: DeliveryToSign & { readonly body: string },
): DeliveryRequest {
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': `svc-emulator/${VERSION}`,
    ...JSON.parse(target.headers),
    ...signDelivery(delivery).headers,
  };
  return { url: target.url, headers, body: delivery.body, insecureTls: target.skip_verify === 1 };
}

type Secrets = Pick<WebhookRow, 'secret' | 'previous_secret' | 'previous_secret_expires_at'>;

/** What signs at an instant of schedule time: the secret, and the one before it while a rotation lasts. */
export function getSigningSecrets(endpoint: Secrets, now: number): string[] {
  const { secret, previous_secret: previous, previous_secret_expires_at: expiresAt } = endpoint;
  return previous !== null && expiresAt !== null && expiresAt > now ? [secret, previous] : [secret];
}

/**
 * The instant at which an attempt that is made now counts as begun. A timer that fires some milliseconds late must not
 * bend the ladder, nor push its last attempt out of the window, so an attempt that begins on time counts from when it
 * was due; one that was held up (the emulator was off, the endpoint busy) counts from when it began, or its retries
 * would come in a burst.
 */
export function getAttemptStart({ due_at: dueAt }: SendableDelivery, { clock }: LoadedWorkspace): number {
  const now = clock.now();
  return now - dueAt <= ON_TIME_MS * Math.max(1, clock.rate) ? dueAt : now;
}

/**
 * Writes the attempt and what follows from it, together. Where a fault has sent it more than once, each time is an
 * attempt, and the first that succeeded decides, or else the first. Inside a write.
 * @returns when the next attempt is due.
 */
export function recordAttempt(
  sandbox: Sandbox,
  workspace: LoadedWorkspace,
  attempt: PreparedAttempt,
  results: readonly [SendResult, ...SendResult[]],
): number | null {
  const { deliveries } = sandbox.store;
  const { seq } = attempt.claim;
  const [first] = results;
  const decisive = results.find(({ outcome }) => outcome === 'succeeded') ?? first;
  const before = deliveries.getProgress(seq);
  let { sentAt } = attempt;
  for (const [index, result] of results.entries()) {
    insertAttempt(sandbox, { ...attempt, sentAt }, result, before.attempt_count + index + 1);
    sentAt += Math.round(result.durationMs);
  }
  // The endpoint was deleted while the request was on its way: it was made, and that is all.
  if (before.status === 'canceled') {
    for (const _ of results) deliveries.countAttempt(seq);
    return null;
  }
  const progress = { ...before, attempt_count: before.attempt_count + results.length - 1 };
  const change = afterAttempt(sandbox, attempt, decisive, progress, workspace.clock.now());
  deliveries.change(change);
  persistClockIfNeeded(sandbox, workspace);
  return change.due_at;
}

function afterAttempt(
  sandbox: Sandbox,
  { claim, startedAt }: PreparedAttempt,
  { outcome, responseStatus, retryAfterMs }: SendResult,
  progress: DeliveryProgressRow,
  answeredAt: number,
): DeliveryChange {
  const replaysWaiting = progress.replays_waiting - (triggerOf(claim) === 'manual' ? 1 : 0);
  const step = nextStep(
    {
      firstAttemptAt: progress.first_attempt_at,
      scheduledAttempts: progress.scheduled_attempts,
      pendingReplays: replaysWaiting,
      keepsSuccess: keepsSuccess(sandbox, claim),
    },
    {
      outcome,
      responseStatus,
      retryAfterMs,
      onSchedule: progress.on_schedule === 1,
      startedAt,
      endedAt: answeredAt,
    },
    sandbox.rules.retry,
    () => sandbox.generator.seededRandom(`${claim.id} ${progress.attempt_count}`),
  );
  const settled = step.status !== 'pending';
  return {
    seq: claim.seq,
    status: step.status,
    due_at: settled ? null : step.dueAt,
    settled_at: settled ? answeredAt : null,
    settled_reason: settled ? step.reason : null,
    first_attempt_at: progress.first_attempt_at ?? startedAt,
    on_schedule: settled || outcome === 'succeeded' ? 0 : progress.on_schedule,
    scheduled_attempts: progress.scheduled_attempts + progress.on_schedule,
    attempt_count: progress.attempt_count + 1,
    replays_waiting: replaysWaiting,
  };
}

function keepsSuccess({ rules, store }: Sandbox, { seq }: PreparedAttempt['claim']): boolean {
  return rules.replayFailure === 'keeps_success' && store.attempts.hasSucceeded(seq);
}

function insertAttempt(sandbox: Sandbox, attempt: PreparedAttempt, result: SendResult, number: number): void {
  const { store } = sandbox;
  const { claim, request, sentAt, faultMark } = attempt;
  const { response } = result;
  store.attempts.insert({
    seq: store.nextSeq(),
    delivery_seq: claim.seq,
    webhook_seq: claim.webhook_seq,
    number,
    trigger: triggerOf(claim),
    scheduled_at: claim.due_at,
    sent_at_wall: sentAt,
    duration_ms: Math.round(result.durationMs * 1000) / 1000,
    outcome: result.outcome,
    response_status: result.responseStatus,
    error: result.error,
    request_url: request.url,
    request_headers: JSON.stringify(request.headers),
    response_headers: response && JSON.stringify(response.headers),
    response_body: response && response.body.length > 0 ? response.body : null,
    response_truncated: response?.truncated ? 1 : 0,
    fault: faultMark,
  });
}

function triggerOf(claim: SendableDelivery): AttemptTrigger {
  return claim.replays_waiting > 0 ? 'manual' : 'schedule';
}
