/** Shortens deliveries for tool results, which the client pays for. The field names are those of the control plane. */

import { toNextSteps } from '../diagnosis/sentences.ts';
import { getDisplayStatus } from '../domain/delivery.ts';
import type { AttemptSummary } from '../resources/attempt.ts';
import type { Delivery, DeliveryDetail } from '../resources/delivery.ts';
import { formatCall } from './tool.ts';

/** Deliveries in a result that is not a list. */
export const MAX_SHOWN_DELIVERIES = 20;

/** The given fields that have a value. */
function pick<Value extends object, Name extends keyof Value>(value: Value, ...names: readonly Name[]) {
  const entries = names.map((name) => [name, value[name]] as const);
  return Object.fromEntries(entries.filter(([, field]) => field != null)) as Partial<Pick<Value, Name>>;
}

export function summarizeDelivery(delivery: Delivery) {
  return {
    ...pick(delivery, 'id', 'event_id', 'event_type', 'webhook_id'),
    status: getDisplayStatus(delivery),
    ...pick(delivery, 'settled_reason', 'attempt_count', 'next_attempt_at', 'replay_of'),
    ...(delivery.last_attempt && { last_attempt: summarizeResult(delivery.last_attempt) }),
  };
}

/** The deliveries that did not succeed first, because a result contains only some. */
export function summarizeDeliveries(deliveries: readonly Delivery[]) {
  const succeeded = deliveries.filter(({ status }) => status === 'succeeded');
  const others = deliveries.filter(({ status }) => status !== 'succeeded');
  return [...others, ...succeeded].slice(0, MAX_SHOWN_DELIVERIES).map(summarizeDelivery);
}

export function summarizeAttempt(attempt: AttemptSummary) {
  return { ...pick(attempt, 'delivery_id', 'number'), ...summarizeResult(attempt) };
}

function summarizeResult(attempt: NonNullable<Delivery['last_attempt']>) {
  return pick(attempt, 'outcome', 'response_status', 'error', 'fault');
}

/** Characters of a body in a result. */
const CUT_BODY_LENGTH = 300;
const MAX_BODY_LENGTH = 20_000;

/** A delivery with its attempts. @param hasBodies whether to show bodies up to 20,000 characters, and the response headers */
export function detailDelivery(delivery: DeliveryDetail, hasBodies: boolean) {
  const maxLength = hasBodies ? MAX_BODY_LENGTH : CUT_BODY_LENGTH;
  const cut = (body: string) =>
    body.length > maxLength ? `${body.slice(0, maxLength)}… (${body.length} characters)` : body;
  return {
    ...summarizeDelivery(delivery),
    ...pick(delivery, 'url', 'created_at'),
    attempts: delivery.attempts.map(({ request, response, ...attempt }, index) => ({
      ...pick(attempt, 'number', 'sent_at', 'duration_ms'),
      ...summarizeResult(attempt),
      // Every attempt sends the same body, except after an injected fault.
      ...((index === 0 || attempt.fault) && { request_body: cut(request.body) }),
      ...(response && { response_body: cut(response.body) }),
      ...(response && hasBodies && { response_headers: response.headers }),
    })),
  };
}

/** No tool enables an endpoint. */
export function formatEnableCommand({
  id,
  webhook_id: webhook,
}: Pick<Delivery, 'id' | 'webhook_id'>): string {
  return `In a shell: ${toNextSteps({ delivery: id, webhook }).enable.command}`;
}

/** The call that is useful after a result with these deliveries. */
export function findNextCall(deliveries: readonly Delivery[]): string {
  const failing = deliveries.find((delivery) => ['failing', 'failed'].includes(getDisplayStatus(delivery)));
  if (failing !== undefined) return formatCall('explain', { id: failing.id });
  if (deliveries.length === 0) return formatCall('status');
  const paused = deliveries.find((delivery) => delivery.paused);
  if (paused !== undefined) return formatEnableCommand(paused);
  if (deliveries.some(({ status }) => status === 'pending')) return formatCall('clock', { action: 'settle' });
  return 'No delivery is failing. Nothing to do.';
}

export const EXAMPLE_URL = 'http://127.0.0.1:3000/webhooks';
