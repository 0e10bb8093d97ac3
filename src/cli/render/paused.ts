/** What is said of deliveries whose endpoint is disabled (decision `delivery.paused`). */
import type { Delivery } from '../../contract/deliveries.ts';
import type { ClockMove } from '../../contract/emulator.ts';
import { countDeliveries } from './count.ts';

type Paused = ClockMove['paused'];

/** More endpoints than these explain nothing. */
const MOST = 5;

/** The paused ones of some deliveries, as a clock move lists them. */
export function countPaused(deliveries: readonly Delivery[]): Paused {
  const counts = new Map<string, number>();
  for (const { webhook_id: id, paused } of deliveries) {
    if (paused) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return [...counts].map(([webhook_id, deliveries]) => ({ webhook_id, deliveries }));
}

/** `2 deliveries are paused: wh_… is disabled.` */
export function describePaused(paused: Paused): string {
  const count = paused.reduce((sum, { deliveries }) => sum + deliveries, 0);
  const ids = listFirst(
    paused.map(({ webhook_id: id }) => id),
    ', ',
  );
  return `${countDeliveries(count)} ${isOrAre(count)} paused: ${ids} ${isOrAre(paused.length)} disabled.`;
}

/** The commands that let them be sent. */
export function hintAtPaused(paused: Paused): string {
  const commands = paused.map(({ webhook_id: id }) => `svc webhooks update ${id} --enable`);
  return `Enable ${paused.length === 1 ? 'it' : 'them'} with: ${listFirst(commands, '; ')}`;
}

function listFirst(texts: readonly string[], separator: string): string {
  const rest = texts.length > MOST ? [`… and ${texts.length - MOST} more`] : [];
  return [...texts.slice(0, MOST), ...rest].join(separator);
}

function isOrAre(count: number): string {
  return count === 1 ? 'is' : 'are';
}
