/** The handler of the operation that waits for deliveries. */

import { withAnySignal } from '../abort-signals.ts';
import {
  describeStalled,
  describeTooFew,
  describeUnsettled,
  findFailing,
  findNextAttempt,
} from '../client/texts/describe-unsettled.ts';
import { type WaitResult, waitForDeliveries } from '../client/wait.ts';
import type { ControlOperations } from '../contract/control-operations.ts';
import type { ControlHandlers, ControlPlane } from '../contract/control-plane.ts';
import type { ValidatedInput } from '../contract/operation.ts';
import type { WaitReport } from '../contract/wait-schemas.ts';
import type { DeliveryStatus } from '../domain/delivery.ts';
import { SECOND_MS } from '../domain/duration.ts';
import { formatDeliveryCount } from '../domain/message-parts.ts';
import { SvcError } from '../errors.ts';
import { RequestLimit } from './request-limit.ts';

const DEFAULT_TIMEOUT_MS = 30 * SECOND_MS;
/** Maximum number of waits at the same time. Each of them keeps the deliveries that it waits for in memory. */
const MAX_WAITS = 256;
/** Maximum number of deliveries in a response: the largest page. */
const MAX_LISTED = 1_000;

/** @param closing aborted when the emulator stops */
export function createWaitHandlers(getControl: () => ControlPlane, closing: AbortSignal) {
  const limit = new RequestLimit(MAX_WAITS, 'waits for deliveries');
  return {
    waitForDeliveries: async (input, signal) => {
      const leave = limit.enter();
      try {
        return await wait(getControl(), input, signal === undefined ? [closing] : [closing, signal]);
      } catch (error) {
        throw closing.aborted ? new SvcError('conflict', 'The emulator is stopping.') : error;
      } finally {
        leave();
      }
    },
  } satisfies Partial<ControlHandlers>;
}

/** @param ends signals that end the wait */
async function wait(
  control: ControlPlane,
  input: ValidatedInput<ControlOperations['waitForDeliveries']>,
  ends: readonly AbortSignal[],
): Promise<WaitReport> {
  const {
    timeout_ms: timeoutMs = DEFAULT_TIMEOUT_MS,
    delivery_id: deliveryId,
    status,
    count,
    keep_waiting: keepWaiting,
    ...filter
  } = input;
  const { event_id: eventId } = filter;
  const canMatch = eventId === undefined || (await hasDeliveries(control, eventId));
  const condition = { filter, deliveryId, status, count };
  const result = await withAnySignal(ends, (signal) =>
    waitForDeliveries(control, condition, { timeoutMs: canMatch ? timeoutMs : 0, signal, keepWaiting }),
  );
  const message = canMatch
    ? await describeMissing(result, count ?? 1, timeoutMs, control)
    : `No enabled endpoint subscribed to the type of ${eventId} when it was created, so it has no deliveries. ${LIST_ENDPOINTS}`;
  return toReport(result, message);
}

/** The deliveries of an event are created with it. */
async function hasDeliveries(control: ControlPlane, eventId: string): Promise<boolean> {
  const { data } = await control.listDeliveries({ event_id: eventId, limit: 1 });
  return data.length > 0;
}

function toReport({ isMet, deliveries }: WaitResult, message: string | null): WaitReport {
  const countOf = (status: DeliveryStatus) =>
    deliveries.filter((delivery) => delivery.status === status).length;
  const data = deliveries.slice(0, MAX_LISTED);
  return {
    settled: isMet,
    message,
    counts: {
      pending: countOf('pending'),
      succeeded: countOf('succeeded'),
      failed: countOf('failed'),
      canceled: countOf('canceled'),
    },
    data,
    has_more: deliveries.length > data.length,
    end_cursor: data.at(-1)?.id ?? null,
  };
}

const LIST_ENDPOINTS = 'List the endpoints and their event types with GET /_svc/webhooks.';

/** What is missing, and how to continue; null if nothing is missing. */
async function describeMissing(
  { isMet, isStalled, waiting, matched, mismatched }: WaitResult,
  count: number,
  timeoutMs: number,
  control: ControlPlane,
): Promise<string | null> {
  if (isMet) return null;
  const [other] = mismatched;
  if (other !== undefined) {
    const verb = mismatched.length === 1 ? 'has' : 'have';
    return `${formatDeliveryCount(mismatched.length)} ${verb} settled with a different status: ${other.id} is ${other.status}. Show its attempts with GET /_svc/deliveries/${other.id}.`;
  }
  const [first] = waiting;
  if (first === undefined) {
    const nextStep = matched.length === 0 ? LIST_ENDPOINTS : 'Repeat the request to wait longer.';
    return `${describeTooFew(matched.length, count, timeoutMs)} ${nextStep}`;
  }
  const next = await findNextAttempt(waiting, control);
  const message = isStalled
    ? describeStalled(waiting, next, timeoutMs)
    : describeUnsettled(waiting, timeoutMs);
  if (next === null)
    return `${message} Enable it with PATCH /_svc/webhooks/${first.webhook_id} and {"disabled": false}.`;
  const failing = findFailing(waiting, next);
  if (failing !== undefined)
    return `${message} Show why with GET /_svc/deliveries/${failing.id}/explanation.`;
  if (isStalled)
    return `${message} Send it with POST /_svc/clock/advance and {"workspace_id": "${next.workspaceId}", "by": "${next.dueIn}"}.`;
  return `${message} Repeat the request to wait longer, or send the attempt that is due next with POST /_svc/clock/next and {"workspace_id": "${next.workspaceId}"}.`;
}
