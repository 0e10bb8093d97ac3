import type { DeliveryDetail } from '../contract/delivery-schemas.ts';
import { displayStatus, settledReasonDescriptions } from '../domain/delivery.ts';
import { escapeToOneLine } from '../domain/invisible-characters.ts';
import { formatRelative } from '../domain/relative-time.ts';

/**
 * The state of a delivery in one line: `del_… pending after 2 attempts, the next in 4m 12s: the receiver responded with 503 Service Unavailable`
 * @param now schedule time of its workspace, in milliseconds since 1970.
 */
export function describeDelivery(delivery: DeliveryDetail, now: number): string {
  const { id, attempts, paused, settled_reason: reason, next_attempt_at: next } = delivery;
  const count = attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`;
  const further = [
    ...(reason === null ? [] : [settledReasonDescriptions[reason]]),
    ...(paused ? [`${delivery.webhook_id} is disabled`] : []),
    ...(next === null ? [] : [`the next ${formatRelative(next, now)}`]),
  ];
  const error = attempts.at(-1)?.error ?? null;
  const head = [`${id} ${displayStatus(delivery)} after ${count}`, ...further].join(', ');
  return error === null ? head : `${head}: ${escapeToOneLine(error)}`;
}
