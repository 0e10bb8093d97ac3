/** Messages about deliveries whose endpoint is disabled (decision `delivery.paused`). */
import type { Delivery } from '../../contract/delivery-schemas.ts';
import type { ClockMove } from '../../contract/emulator-schemas.ts';
import { formatDeliveryCount } from '../../domain/format-count.ts';

type PausedDeliveries = ClockMove['paused'];

/** Maximum number of listed endpoints. */
const MAX_ENDPOINTS = 5;

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

/** The commands that enable the endpoints. */
export function suggestEnable(paused: PausedDeliveries): string {
  const commands = paused.map(({ webhook_id: id }) => `svc webhooks update ${id} --enable`);
  return `Enable ${paused.length === 1 ? 'it' : 'them'} with: ${listFirst(commands, '; ')}`;
}

function listFirst(texts: readonly string[], separator: string): string {
  const rest = texts.length > MAX_ENDPOINTS ? [`… and ${texts.length - MAX_ENDPOINTS} more`] : [];
  return [...texts.slice(0, MAX_ENDPOINTS), ...rest].join(separator);
}

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are';
}
