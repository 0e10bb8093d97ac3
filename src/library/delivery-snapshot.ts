/** Normalizes deliveries for snapshot tests, so that IDs, times and addresses are the same in each run. */

import { formatDuration } from '../domain/duration.ts';
import type { Attempt } from '../resources/attempt.ts';
import type { DeliveryDetail } from '../resources/delivery.ts';

/** A delivery with stable IDs, relative times and no ports. */
export interface DeliverySnapshot
  extends Readonly<Pick<DeliveryDetail, 'id' | 'url' | 'status' | 'settled_reason' | 'replay_of'>> {
  readonly event: string;
  readonly type: string;
  readonly webhook: string;
  /** Null if nothing was sent yet. */
  readonly payload: unknown;
  readonly attempts: readonly AttemptSnapshot[];
}

interface AttemptSnapshot
  extends Readonly<Pick<Attempt, 'number' | 'trigger' | 'outcome' | 'response_status' | 'error'>> {
  /** Schedule time since the delivery was created: `0s`, `35m`. */
  readonly after: string;
}

/** The IDs that a delivery contains. */
const ID = /\b(del|evt|wh|ws|req|flt)_[0-9A-HJKMNP-TV-Z]{26}\b/g;
/** A port on this machine, which the system may have chosen. */
const LOCAL_PORT = /\b(localhost|127\.0\.0\.1|\[::1\]):\d+/g;

/** @param deliveries oldest first */
export function toSnapshot(deliveries: readonly DeliveryDetail[]): DeliverySnapshot[] {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  /** Numbers IDs in the order in which they first occur. */
  function rename(id: string, kind: string): string {
    const existingName = names.get(id);
    if (existingName !== undefined) return existingName;
    const number = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, number);
    names.set(id, `${kind}_${number}`);
    return `${kind}_${number}`;
  }
  const normalize = (text: string) => text.replace(ID, rename).replace(LOCAL_PORT, '$1:PORT');
  const normalizeJson = (value: unknown): unknown => JSON.parse(normalize(JSON.stringify(value)));
  return deliveries.map((delivery) => ({
    id: normalize(delivery.id),
    event: normalize(delivery.event_id),
    type: delivery.event_type,
    webhook: normalize(delivery.webhook_id),
    url: normalize(delivery.url),
    status: delivery.status,
    settled_reason: delivery.settled_reason,
    replay_of: delivery.replay_of === null ? null : normalize(delivery.replay_of),
    payload: normalizeJson(findSentPayload(delivery)),
    attempts: delivery.attempts.map(({ number, trigger, outcome, response_status, ...attempt }) => ({
      number,
      trigger,
      after: formatDuration(Date.parse(attempt.scheduled_at) - Date.parse(delivery.created_at)),
      outcome,
      response_status,
      error: attempt.error === null ? null : normalize(attempt.error),
    })),
  }));
}

/** The payload that the first attempt sent: the body, or what it contains if it is the envelope of an event; null if nothing was sent. */
export function findSentPayload({ attempts }: DeliveryDetail): unknown {
  const body = attempts[0]?.request.body;
  try {
    const json = body === undefined ? null : JSON.parse(body);
    return json?.data?.payload ?? json;
  } catch {
    // The fault `tamper-body` can make the body of a replay invalid JSON.
    return body;
  }
}
