/** Applies injected faults to attempts: delays, wrong signatures, changed or dropped requests, lost responses. */
import { STATUS_CODES } from 'node:http';
import { MINUTE_MS } from '../domain/duration.ts';
import { DEFAULT_ERROR_STATUS, defaultDelayMs, tamperBody } from '../domain/fault.ts';
import { createWebhookSecret, fillFromHash } from '../domain/secret.ts';
import type { DeliveryToSign } from '../domain/signature/sign.ts';
import type { MatchingFault } from '../sandbox/faults.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { SendableDelivery } from '../store/deliveries.ts';
import type { Sender, SendRequest, SendResult } from './sender.ts';

/** Age of a stale timestamp beyond the tolerance. */
const STALE_BY_MS = MINUTE_MS;

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
  return kind === 'delay' || kind === 'reorder' ? (rule.delay_ms ?? defaultDelayMs[kind]) : null;
}

/** The message to sign, with the fault applied. */
export function applySignatureFault(
  { rules }: Sandbox,
  delivery: SendableDelivery,
  messageToSign: DeliveryToSign & { readonly body: string },
  fault: MatchingFault | undefined,
): DeliveryToSign & { readonly body: string } {
  // Derived from the endpoint secret, so that a seeded run is repeatable.
  const createUnknownSecret = () => createWebhookSecret(rules.signature.key, fillFromHash(delivery.secret));
  switch (fault?.applied.kind) {
    case 'bad-signature':
      return { ...messageToSign, secrets: [createUnknownSecret()] };
    case 'old-secret':
      return { ...messageToSign, secrets: [delivery.previous_secret ?? createUnknownSecret()] };
    case 'stale-timestamp':
      return {
        ...messageToSign,
        timestampMs: messageToSign.timestampMs - rules.signatureToleranceMs - STALE_BY_MS,
      };
    default:
      return messageToSign;
  }
}

/** A result for each request of an attempt. */
export type SendResults = readonly [SendResult, ...SendResult[]];

/**
 * Sends an attempt with the fault applied.
 * @returns two results for a duplicate. For an attempt that the fault made fail, one that names the fault.
 */
export async function sendWithFault(
  sender: Sender,
  request: SendRequest & { readonly body: string },
  fault: MatchingFault,
): Promise<SendResults> {
  switch (fault.applied.kind) {
    case 'drop':
      return [
        toFailure('connection_error', `nothing was sent: fault ${fault.applied.id} dropped the attempt`),
      ];
    case 'error-response':
      return [toErrorResponse(fault)];
    case 'timeout': {
      const { durationMs, phases } = await sender.send(request);
      const error = `the response was lost: fault ${fault.applied.id} ended the attempt as a timeout, without waiting for the time limit`;
      return [{ ...toFailure('timeout', error), durationMs, phases }];
    }
    case 'reset': {
      const { durationMs, phases } = await sender.send(request);
      const error = `the response was lost: fault ${fault.applied.id} reset the connection`;
      return [{ ...toFailure('connection_error', error), durationMs, phases }];
    }
    case 'duplicate':
      return [await sender.send(request), await sender.send(request)];
    case 'tamper-body':
      return [await sender.send({ ...request, body: tamperBody(request.body) })];
    case 'slow-body': {
      const writeOverMs = fault.rule.delay_ms ?? defaultDelayMs['slow-body'];
      return [await sender.send({ ...request, writeOverMs })];
    }
    default:
      return [await sender.send(request)];
  }
}

/** A failure without a response. */
export function toFailure(outcome: 'connection_error' | 'timeout', error: string): SendResult {
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

/** The result as if the receiver responded with the status of the fault. */
function toErrorResponse({ applied, rule: { status = DEFAULT_ERROR_STATUS } }: MatchingFault): SendResult {
  const error = `nothing was sent: fault ${applied.id} responded with ${status} ${STATUS_CODES[status] ?? ''}`;
  return {
    outcome: 'http_error',
    responseStatus: status,
    error: error.trimEnd(),
    durationMs: 0,
    phases: null,
    response: { headers: {}, body: Buffer.alloc(0), truncated: false },
    retryAfterMs: null,
  };
}
