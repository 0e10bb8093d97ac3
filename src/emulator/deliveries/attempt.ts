/** Makes one attempt of a delivery and records its result. */

import { encodePhases } from '../../domain/attempt-phases.ts';
import { type AttemptTrigger, decideNextStep } from '../../domain/delivery.ts';
import { SECOND_MS } from '../../domain/duration.ts';
import { getDeliveryFault } from '../../domain/fault.ts';
import { parseReceiverUrl } from '../../domain/http-url.ts';
import { isPastWindow } from '../../domain/retry-policy.ts';
import { VERSION } from '../../platform/package-info.ts';
import { type AttemptValues, fillHeaders } from '../../profile/senders.ts';
import { createSignatureHeaders, type DeliveryToSign } from '../../signature/sign.ts';
import { formatTimestamp } from '../../signature/signature-header.ts';
import type { DeliveryProgressRow, DeliveryUpdate, SendableDelivery } from '../../store/deliveries.ts';
import type { WebhookRow } from '../../store/webhooks.ts';
import type { MatchingFault } from '../service/faults.ts';
import type { Sandbox } from '../service/sandbox.ts';
import type { LoadedWorkspace } from '../service/workspace-registry.ts';
import {
  applyMatchingFault,
  applySignatureFault,
  getFaultDelayMs,
  type SendResults,
  sendWithFault,
  toFailure,
} from './delivery-faults.ts';
import type { Sender, SendRequest, SendResult } from './sender.ts';

/** An attempt that starts within this time after its due time is on time: see {@link getAttemptStart}. */
const ON_TIME_MS = SECOND_MS;

export interface DueDelivery {
  readonly seq: number;
  readonly webhookSeq: number;
  readonly workspace: LoadedWorkspace;
  /** Monotonic time from which its endpoint had a due delivery that waited for its turn. */
  readonly waitingSince: number;
}

/** Writes what an attempt has changed. @returns schedule time at which the delivery is due again; null if it is settled. */
type RecordAttempt = () => Promise<number | null>;

/**
 * Makes an attempt of a delivery that is due: applies a matching fault, signs and sends it.
 * @param reordered the endpoints with a delivery that a `reorder` fault has delayed, at most until another one has been sent
 * @returns a function that records the result. Unless it is called, the attempt is made again after a restart.
 */
export async function sendAttempt(
  sandbox: Sandbox,
  sender: Sender,
  { seq, webhookSeq, workspace, waitingSince }: DueDelivery,
  reordered: Set<number>,
): Promise<RecordAttempt> {
  const { store } = sandbox;
  const delivery = store.deliveries.findSendable(seq);
  if (delivery === undefined) return async () => null;
  if (isTooLate(sandbox, delivery, getAttemptStart(delivery, workspace))) {
    return () =>
      store.write(() => {
        store.deliveries.expire(seq, workspace.clock.now(), store.nextSeq());
        return null;
      });
  }
  const fault = applyMatchingFault(sandbox, delivery);
  const delayMs = fault ? getFaultDelayMs(fault) : null;
  if (fault && delayMs !== null) {
    if (getDeliveryFault(fault.applied.kind).isReleasedByNext) reordered.add(webhookSeq);
    return () =>
      store.write(() => {
        const dueAt = workspace.clock.now() + delayMs;
        store.deliveries.postpone(seq, dueAt, JSON.stringify(fault.applied));
        return dueAt;
      });
  }
  const attempt = prepareAttempt(sandbox, workspace, delivery, fault, waitingSince);
  const { request, problem } = attempt;
  let results: SendResults;
  if (problem !== null) results = [toFailure('connection_error', `nothing was sent: ${problem}`)];
  else results = fault ? await sendWithFault(sender, request, fault) : [await sender.send(request)];
  const endedAt = workspace.clock.now();
  return async () => {
    const record = () => recordAttempt(sandbox, workspace, attempt, results, endedAt);
    const dueAt = await store.writeLater(record);
    // Another delivery was sent, so those that a `reorder` fault has delayed are due.
    if (reordered.delete(webhookSeq)) {
      await store.write(() => store.deliveries.releaseReordered(webhookSeq, workspace.clock.now()));
      sandbox.bus.publish({ type: 'schedule_changed' });
    }
    return dueAt;
  };
}

/** Whether the retry window has ended, for example while the emulator was off. Then only a replay is sent (§6). */
function isTooLate({ rules }: Sandbox, delivery: SendableDelivery, startedAt: number): boolean {
  if (delivery.replays_waiting > 0 || delivery.first_attempt_at === null) return false;
  return isPastWindow(rules.retry, delivery.first_attempt_at, startedAt);
}

interface PreparedAttempt {
  readonly delivery: SendableDelivery;
  readonly request: DeliveryRequest;
  /** Why the stored endpoint cannot be sent to, because another program wrote an invalid URL; null if it can. */
  readonly problem: string | null;
  /** Wall time of sending. */
  readonly sentAt: number;
  /** Schedule time from which the wait for the next attempt counts. */
  readonly startedAt: number;
  /** `AppliedFault` of the fault that delayed it before or is applied now, as JSON; null for none. */
  readonly appliedFaultJson: string | null;
  /** Real time from when the delivery was due to the start of the attempt. */
  readonly queuedMs: number;
}

type DeliveryRequest = SendRequest & { readonly body: string };

/** Every attempt has its own timestamp and signature (§6). @param waitingSince monotonic time */
function prepareAttempt(
  sandbox: Sandbox,
  workspace: LoadedWorkspace,
  delivery: SendableDelivery,
  fault: MatchingFault | undefined,
  waitingSince: number,
): PreparedAttempt {
  const { wall, rules } = sandbox;
  const { id, body } = delivery;
  const now = workspace.clock.now();
  const sentAt = wall.now();
  const secrets = getSigningSecrets(delivery, now);
  const messageToSign = { scheme: rules.signature, secrets, id, timestampMs: sentAt, body };
  let request: DeliveryRequest;
  let problem: string | null = null;
  try {
    parseReceiverUrl(delivery.url);
    const signed = applySignatureFault(sandbox, delivery, messageToSign, fault);
    request = toDeliveryRequest(sandbox, delivery, signed, {
      type: delivery.event_type,
      attempt: delivery.attempt_count + 1,
      lastOutcome: () => sandbox.store.attempts.listByDelivery(delivery.seq).at(-1)?.outcome,
    });
  } catch (error) {
    request = { url: delivery.url, headers: {}, body };
    problem = (error as Error).message;
  }
  return {
    delivery,
    request,
    problem,
    sentAt,
    startedAt: getAttemptStart(delivery, workspace),
    appliedFaultJson: delivery.fault ?? (fault ? JSON.stringify(fault.applied) : null),
    queuedMs: Math.min(wall.monotonic() - waitingSince, workspace.clock.realMsSince(delivery.due_at)),
  };
}

/** The request of a delivery, signed (§6), with the headers of the sender. */
export function toDeliveryRequest(
  { rules }: Sandbox,
  target: Pick<WebhookRow, 'url' | 'headers' | 'skip_verify'>,
  { scheme, secrets, id, timestampMs, body }: DeliveryToSign & { readonly body: string },
  values: Pick<AttemptValues, 'type' | 'attempt' | 'lastOutcome'>,
): DeliveryRequest {
  const timestamp = formatTimestamp(scheme.timestampFormat, timestampMs);
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': `svc-emulator/${VERSION}`,
    ...fillHeaders(rules.sender, { id, timestamp, ...values }),
    ...JSON.parse(target.headers),
    ...createSignatureHeaders(scheme, secrets, { id, timestamp, body }),
  };
  return { url: target.url, headers, body, insecureTls: target.skip_verify === 1 };
}

type EndpointSecrets = Pick<WebhookRow, 'secret' | 'previous_secret' | 'previous_secret_expires_at'>;

/** The secrets that sign at a schedule time: the current one, and during a rotation the previous one too. */
export function getSigningSecrets(endpoint: EndpointSecrets, now: number): string[] {
  const { secret, previous_secret: previous, previous_secret_expires_at: expiresAt } = endpoint;
  return previous !== null && expiresAt !== null && expiresAt > now ? [secret, previous] : [secret];
}

/**
 * Schedule time that counts as the start of an attempt that is made now. For an attempt on time, it is the due time, so
 * that a timer that fires late neither shifts the retry schedule nor pushes the last attempt out of the retry window. For a
 * delayed attempt (the emulator was off, or the endpoint was busy), it is now, or its retries would follow in a burst.
 *
 * {@link ON_TIME_MS} counts in schedule time, or in real time if the clock is faster, because a late timer then misses more
 * schedule time.
 */
function getAttemptStart({ due_at: dueAt }: SendableDelivery, { clock }: LoadedWorkspace): number {
  const now = clock.now();
  return now - dueAt <= ON_TIME_MS * Math.max(1, clock.currentSpeed) ? dueAt : now;
}

/**
 * Writes the attempt and the new state of its delivery. If a fault sent it more than once, each request is an attempt, and
 * the first success decides, or else the first failure. Call inside a store transaction.
 * @param endedAt schedule time
 * @returns schedule time at which another attempt is due; null without one
 */
function recordAttempt(
  sandbox: Sandbox,
  workspace: LoadedWorkspace,
  attempt: PreparedAttempt,
  results: SendResults,
  endedAt: number,
): number | null {
  const { deliveries } = sandbox.store;
  const { seq } = attempt.delivery;
  const [first] = results;
  const decidingResult = results.find(({ outcome }) => outcome === 'succeeded') ?? first;
  const progressBefore = deliveries.getProgress(seq);
  let number = progressBefore.attempt_count;
  let { sentAt, queuedMs } = attempt;
  for (const result of results) {
    number++;
    insertAttempt(sandbox, attempt, result, { number, sentAt, queuedMs });
    sentAt += Math.round(result.durationMs);
    // Only the first request waited in the queue.
    queuedMs = 0;
  }
  // The endpoint was deleted while the request was in flight: record the attempt only.
  if (progressBefore.status === 'canceled') {
    for (const _ of results) deliveries.incrementAttemptCount(seq);
    return null;
  }
  const change = toDeliveryChange(sandbox, attempt, decidingResult, progressBefore, number, endedAt);
  deliveries.update(change);
  sandbox.workspaces.persistClockIfNeeded(workspace);
  return change.due_at;
}

function toDeliveryChange(
  { rules, store, generator }: Sandbox,
  { delivery, startedAt }: PreparedAttempt,
  { outcome, responseStatus, retryAfterMs }: SendResult,
  progress: DeliveryProgressRow,
  attemptCount: number,
  endedAt: number,
): DeliveryUpdate {
  const waitingReplays = progress.replays_waiting - (getTrigger(delivery) === 'manual' ? 1 : 0);
  const step = decideNextStep(
    {
      firstAttemptAt: progress.first_attempt_at,
      scheduledAttempts: progress.scheduled_attempts,
      waitingReplays,
      // On the retry schedule, no attempt has succeeded.
      keepsSuccess:
        progress.on_schedule === 0 &&
        rules.replayFailure === 'keeps_success' &&
        store.attempts.hasSucceeded(delivery.seq),
    },
    { outcome, responseStatus, retryAfterMs, onSchedule: progress.on_schedule === 1, startedAt, endedAt },
    rules.retry,
    () => generator.seededRandom(`${delivery.id} ${attemptCount - 1}`),
  );
  const isSettled = step.status !== 'pending';
  return {
    seq: delivery.seq,
    status: step.status,
    due_at: isSettled ? null : step.dueAt,
    settled_at: isSettled ? endedAt : null,
    settled_reason: isSettled ? step.reason : null,
    first_attempt_at: progress.first_attempt_at ?? startedAt,
    on_schedule: isSettled || outcome === 'succeeded' ? 0 : progress.on_schedule,
    scheduled_attempts: progress.scheduled_attempts + progress.on_schedule,
    attempt_count: attemptCount,
    replays_waiting: waitingReplays,
  };
}

function insertAttempt(
  { store }: Sandbox,
  { delivery, request, appliedFaultJson }: PreparedAttempt,
  result: SendResult,
  { number, sentAt, queuedMs }: { number: number } & Pick<PreparedAttempt, 'sentAt' | 'queuedMs'>,
): void {
  const { response, phases } = result;
  store.attempts.insert({
    seq: store.nextSeq(),
    delivery_seq: delivery.seq,
    webhook_seq: delivery.webhook_seq,
    number,
    trigger: getTrigger(delivery),
    scheduled_at: delivery.due_at,
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
    fault: appliedFaultJson,
    phases: phases && encodePhases({ ...phases, queued: queuedMs + (phases.queued ?? 0) }),
  });
}

function getTrigger(delivery: SendableDelivery): AttemptTrigger {
  return delivery.replays_waiting > 0 ? 'manual' : 'schedule';
}
