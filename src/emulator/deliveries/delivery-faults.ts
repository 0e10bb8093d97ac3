/** Applies injected faults to attempts: delays, wrong signatures, changed or dropped requests, lost responses. */
import { STATUS_CODES } from 'node:http';
import { getDeliveryFault } from '../../domain/fault.ts';
import { createWebhookSecret, fillFromHash } from '../../domain/secret.ts';
import type { DeliveryToSign } from '../../signature/sign.ts';
import type { SendableDelivery } from '../../store/deliveries.ts';
import type { MatchingFault } from '../service/faults.ts';
import type { Sandbox } from '../service/sandbox.ts';
import type { Sender, SendRequest, SendResult } from './sender.ts';

/** The fault to apply to this attempt. Counts its use. An attempt that a fault has delayed gets no second fault. */
export function applyMatchingFault(
  { faults, store }: Sandbox,
  delivery: SendableDelivery,
): MatchingFault | undefined {
  if (delivery.fault !== null) return undefined;
  return faults.applyToDelivery(`${delivery.id} ${delivery.attempt_count}`, () => {
    const row = store.deliveryQueries.findBySeq(delivery.seq);
    if (row === undefined) throw new Error(`Delivery ${delivery.seq} does not exist.`);
    return { workspaceId: row.workspace_id, webhookId: row.webhook_id, type: row.event_type };
  });
}

/** Schedule time by which a fault delays an attempt; null if it does not. */
export function getFaultDelayMs({ applied: { kind }, rule }: MatchingFault): number | null {
  const { holdMs } = getDeliveryFault(kind);
  return holdMs === undefined ? null : (rule.delay_ms ?? holdMs);
}

export function applySignatureFault(
  { rules }: Sandbox,
  delivery: SendableDelivery,
  messageToSign: DeliveryToSign & { readonly body: string },
  fault: MatchingFault | undefined,
): DeliveryToSign & { readonly body: string } {
  const { changeMessage } = getDeliveryFault(fault?.applied.kind);
  if (changeMessage === undefined) return messageToSign;
  return changeMessage(messageToSign, {
    // Derived from the endpoint secret, so that a seeded run is repeatable.
    unknown: createWebhookSecret(rules.signature.key, fillFromHash(delivery.secret)),
    previous: delivery.previous_secret,
    toleranceMs: rules.signatureToleranceMs,
  });
}

export type SendResults = readonly [SendResult, ...SendResult[]];

/**
 * Sends an attempt with the fault applied.
 * @returns two results for a duplicate. For an attempt that the fault made fail, one that names the fault.
 */
export async function sendWithFault(
  sender: Sender,
  request: SendRequest & { readonly body: string },
  { applied: { id, kind }, rule }: MatchingFault,
): Promise<SendResults> {
  const { requests, changeBody, writeMs, end, status: defaultStatus } = getDeliveryFault(kind);
  if (end !== undefined) {
    const { durationMs, phases } =
      requests === 0 ? { durationMs: 0, phases: null } : await sender.send(request);
    const status = rule.status ?? defaultStatus ?? null;
    const response = `${status} ${STATUS_CODES[status ?? 0] ?? ''}`.trimEnd();
    const failure = toFailure(end.outcome, end.toError(id, response));
    if (status === null) return [{ ...failure, durationMs, phases }];
    const emptyResponse = { headers: {}, body: Buffer.alloc(0), truncated: false };
    return [{ ...failure, responseStatus: status, response: emptyResponse }];
  }
  const changed = {
    ...request,
    ...(changeBody && { body: changeBody(request.body) }),
    ...(writeMs !== undefined && { writeOverMs: rule.delay_ms ?? writeMs }),
  };
  const first = await sender.send(changed);
  return requests === 2 ? [first, await sender.send(changed)] : [first];
}

export function toFailure(outcome: 'connection_error' | 'timeout' | 'http_error', error: string): SendResult {
  return {
    outcome,
    responseStatus: null,
    error,
    durationMs: 0,
    phases: null,
    response: null,
    retryAfterMs: null,
  };
}
