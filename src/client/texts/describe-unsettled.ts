/** Messages about deliveries that have not settled. Commands and the control plane add the next step. */

import type { ControlPlane } from '../../contract/control-plane.ts';
import type { Delivery } from '../../contract/delivery-schemas.ts';
import type { ClockMove } from '../../contract/emulator-schemas.ts';
import { getDisplayStatus } from '../../domain/delivery.ts';
import { formatDuration, SECOND_MS } from '../../domain/duration.ts';
import { formatDeliveryCount } from '../../domain/message-parts.ts';

/** `2 deliveries have not settled after 30s.`, and which endpoints are disabled. @param unsettled at least one delivery */
export function describeUnsettled(unsettled: readonly Delivery[], timeoutMs: number): string {
  const paused = countPaused(unsettled);
  if (unsettled.every((delivery) => delivery.paused)) return describePaused(paused);
  const message = `${formatDeliveryCount(unsettled.length)} ${unsettled.length === 1 ? 'has' : 'have'} not settled after ${formatDuration(timeoutMs)}.`;
  return paused.length === 0 ? message : `${message} ${describePaused(paused)}`;
}

/**
 * `1 delivery cannot settle within 30s: the next attempt is due in 5m, and the clock is frozen.`, and which endpoints are disabled.
 * @param next null if all deliveries are paused
 */
export function describeStalled(
  unsettled: readonly Delivery[],
  next: NextAttempt | null,
  timeoutMs: number,
): string {
  const paused = countPaused(unsettled);
  if (next === null) return describePaused(paused);
  const { speed } = next;
  const pace = speed === 0 ? ', and the clock is frozen' : speed === 1 ? '' : `, at speed ${speed}`;
  const message = `${formatDeliveryCount(unsettled.length)} cannot settle within ${formatDuration(timeoutMs)}: the next attempt is due in ${next.dueIn}${pace}.`;
  return paused.length === 0 ? message : `${message} ${describePaused(paused)}`;
}

/** The attempt of several deliveries that is due first. */
export interface NextAttempt {
  readonly workspaceId: string;
  /** Current schedule time, in milliseconds since 1970. */
  readonly now: number;
  /** Schedule time until then, rounded up to a second: `5m`. */
  readonly dueIn: string;
  /** Speed of the clock; 0 while it is frozen. */
  readonly speed: number;
}

/** @returns null if no attempt is scheduled, because all deliveries are paused */
export async function findNextAttempt(
  deliveries: readonly Delivery[],
  control: Pick<ControlPlane, 'getClock'>,
): Promise<NextAttempt | null> {
  const [next] = deliveries
    .flatMap(({ workspace_id: workspaceId, paused, next_attempt_at: at }) =>
      paused || at === null ? [] : [{ workspaceId, at: Date.parse(at) }],
    )
    .sort((a, b) => a.at - b.at);
  if (next === undefined) return null;
  const { workspaceId, at } = next;
  const { now, speed } = await control.getClock({ workspace_id: workspaceId });
  const remainingMs = Math.max(0, at - Date.parse(now));
  return {
    workspaceId,
    now: Date.parse(now),
    speed,
    dueIn: formatDuration(Math.ceil(remainingMs / SECOND_MS) * SECOND_MS),
  };
}

/** The first delivery that waits for a retry. One that is due waits for a replay or a response, whatever its last attempt shows. */
export function findFailing(unsettled: readonly Delivery[], { now }: NextAttempt): Delivery | undefined {
  return unsettled.find(
    (delivery) =>
      getDisplayStatus(delivery) === 'failing' && Date.parse(delivery.next_attempt_at ?? '') > now,
  );
}

/** `Only 1 of 3 deliveries settled within 30s.` */
export function describeTooFew(settledCount: number, count: number, timeoutMs: number): string {
  const time = formatDuration(timeoutMs);
  if (settledCount === 0) return `No delivery matched within ${time}.`;
  return `Only ${settledCount} of ${formatDeliveryCount(count)} settled within ${time}.`;
}

/** Deliveries to disabled endpoints (gap `delivery.paused`). */
export type PausedDeliveries = ClockMove['paused'];

/** Maximum number of endpoints that a message lists. */
export const MAX_ENDPOINTS = 5;

/** Counts the paused deliveries by endpoint. */
export function countPaused(deliveries: readonly Delivery[]): PausedDeliveries {
  const counts = new Map<string, number>();
  for (const { webhook_id: id, paused } of deliveries) {
    if (paused) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return [...counts].map(([webhook_id, deliveries]) => ({ webhook_id, deliveries }));
}

/** `2 deliveries are paused: wh_… is disabled.` */
export function describePaused(paused: PausedDeliveries): string {
  const count = paused.reduce((sum, { deliveries }) => sum + deliveries, 0);
  const ids = listFirst(
    paused.map(({ webhook_id: id }) => id),
    ', ',
  );
  return `${formatDeliveryCount(count)} ${isOrAre(count)} paused: ${ids} ${isOrAre(paused.length)} disabled.`;
}

/** The texts, up to {@link MAX_ENDPOINTS}, and the number of the others. */
function listFirst(texts: readonly string[], separator: string): string {
  const more = texts.length > MAX_ENDPOINTS ? [`… and ${texts.length - MAX_ENDPOINTS} more`] : [];
  return [...texts.slice(0, MAX_ENDPOINTS), ...more].join(separator);
}

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are';
}
