/** Describes a delivery for people. */

import { getDisplayStatus, settledReasonDescriptions } from '../domain/delivery.ts';
import { formatDueTime } from '../domain/duration.ts';
import { escapeToOneLine } from '../domain/invisible-characters.ts';
import type { Attempt } from '../resources/attempt.ts';
import type { Delivery, DeliveryDetail } from '../resources/delivery.ts';

/**
 * The state of a delivery in one line: `del_… failing after 2 attempts, next attempt in 4m 12s: the receiver responded with 503 Service Unavailable`
 * @param now schedule time of its workspace, in milliseconds since 1970.
 */
export function describeDelivery(delivery: DeliveryDetail, now: number): string {
  const { id, attempts, paused, settled_reason: reason, next_attempt_at: next } = delivery;
  const count = attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`;
  const details = [
    ...(reason === null ? [] : [settledReasonDescriptions[reason]]),
    ...(paused ? [`${delivery.webhook_id} is disabled`] : []),
    ...(next === null ? [] : [`next attempt ${formatDueTime(next, now)}`]),
  ];
  const error = attempts.at(-1)?.error ?? null;
  const summary = [`${id} ${getDisplayStatus(delivery)} after ${count}`, ...details].join(', ');
  return error === null ? summary : `${summary}: ${escapeToOneLine(error)}`;
}

/** The state of a delivery as a sentence: `Attempt 2 failed. A retry is scheduled.` */
export function describeState(delivery: Delivery, attempts: readonly Attempt[]): string {
  const { status, settled_reason: reason } = delivery;
  const last = attempts.at(-1);
  const reasonText = reason === null ? '' : `: ${settledReasonDescriptions[reason]}`;
  if (status === 'failed') return `Failed${reasonText}.`;
  if (status === 'canceled') return `Canceled${reasonText}.`;
  if (status === 'succeeded') {
    const first = attempts.find(({ outcome }) => outcome === 'succeeded');
    return `Delivered on attempt ${first?.number ?? 1}${reason === null ? '' : `; ${settledReasonDescriptions[reason]}`}.`;
  }
  if (delivery.paused) return 'Paused: the endpoint is disabled.';
  if (last === undefined) return 'Waiting to be sent.';
  return last.outcome === 'succeeded'
    ? `Attempt ${last.number} succeeded; a replay is waiting to be sent.`
    : `Attempt ${last.number} failed. A retry is scheduled.`;
}
