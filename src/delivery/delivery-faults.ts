/** What faults make of attempts: they are held back, signed or sent otherwise than they should be, or not sent at all. */
import { MINUTE_MS } from '../domain/duration.ts';
import { defaultDelayMs, tamperBody } from '../domain/fault.ts';
import { createWebhookSecret, fillFromHash } from '../domain/secret.ts';
import type { DeliveryToSign } from '../domain/signature/sign.ts';
import type { FiredFault } from '../sandbox/faults.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { LoadedWorkspace } from '../sandbox/workspace-registry.ts';
import type { SendableDelivery } from '../store/deliveries.ts';
import type { Sender, SendLimits, SendRequest, SendResult } from './sender.ts';

/** How much older than the tolerance a stale timestamp is. */
const STALE_BY_MS = MINUTE_MS;

/** The fault that meets this attempt; one that was held back by a fault meets no other. */
export function fireMatchingFault(
  { faults, store }: Sandbox,
  claim: SendableDelivery,
): FiredFault | undefined {
  if (claim.fault !== null) return undefined;
  return faults.fireForDelivery(`${claim.id} ${claim.attempt_count}`, () => {
    const row = store.deliveryQueries.findBySeq(claim.seq);
    if (row === undefined) throw new Error(`delivery ${claim.seq} is gone`);
    return { workspaceId: row.workspace_id, webhookId: row.webhook_id, type: row.event_type };
  });
}

/** For how long of schedule time a fault holds an attempt back; null when it does not. */
export function getFaultDelayMs({ mark: { kind }, rule }: FiredFault): number | null {
  return kind === 'delay' || kind === 'reorder' ? (rule.delay_ms ?? defaultDelayMs[kind]) : null;
}

/** Holds an attempt back. Inside a write. @returns when it is due then. */
export function delayAttempt(
  { store }: Sandbox,
  workspace: LoadedWorkspace,
  { seq }: SendableDelivery,
  { mark }: FiredFault,
  ms: number,
): number | null {
  store.deliveries.postpone(seq, workspace.clock.now() + ms, JSON.stringify(mark));
  return store.deliveries.getProgress(seq).due_at;
}

/** The delivery as it is signed. */
export function applySignatureFault(
  { rules }: Sandbox,
  claim: SendableDelivery,
  toSign: DeliveryToSign & { readonly body: string },
  fault: FiredFault | undefined,
): DeliveryToSign & { readonly body: string } {
  const foreign = () => createWebhookSecret(rules.signature.key, fillFromHash(claim.secret));
  switch (fault?.mark.kind) {
    case 'bad-signature':
      return { ...toSign, secrets: [foreign()] };
    case 'old-secret':
      return { ...toSign, secrets: [claim.previous_secret ?? foreign()] };
    case 'stale-timestamp':
      return { ...toSign, timestampMs: toSign.timestampMs - rules.signatureToleranceMs - STALE_BY_MS };
    default:
      return toSign;
  }
}

/**
 * Sends an attempt as a fault would have it.
 * @returns a result for each time that it was sent: two for a duplicate, and one that says so where it was not sent.
 */
export async function sendWithFault(
  sender: Sender,
  request: SendRequest & { readonly body: string },
  limits: SendLimits,
  fault: FiredFault | undefined,
): Promise<[SendResult, ...SendResult[]]> {
  switch (fault?.mark.kind) {
    case 'drop':
      return [dropped(fault)];
    case 'duplicate':
      return [await sender.send(request, limits), await sender.send(request, limits)];
    case 'tamper-body':
      return [await sender.send({ ...request, body: tamperBody(request.body) }, limits)];
    case 'slow-body': {
      const writeOverMs = fault.rule.delay_ms ?? defaultDelayMs['slow-body'];
      return [await sender.send({ ...request, writeOverMs }, limits)];
    }
    default:
      return [await sender.send(request, limits)];
  }
}

function dropped({ mark }: FiredFault): SendResult {
  const error = `nothing was sent: the fault ${mark.id} dropped it`;
  return {
    ...{ outcome: 'connection_error', responseStatus: null, error, durationMs: 0 },
    ...{ response: null, retryAfterMs: null },
  };
}
