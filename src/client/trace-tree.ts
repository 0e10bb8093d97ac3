/** Arranges the deliveries of a trace as a tree. */
import type { DeliveryTrace } from '../contract/trace-schemas.ts';

/** A delivery with its replays, which are deliveries with an ID of their own. */
export interface TraceNode {
  readonly delivery: DeliveryTrace;
  readonly replays: readonly TraceNode[];
}

/** The deliveries in order, each replay below its original. A replay whose original is on another page is at the top. */
export function buildTraceTree(deliveries: readonly DeliveryTrace[]): TraceNode[] {
  const nodes = new Map<string, { delivery: DeliveryTrace; replays: TraceNode[] }>();
  const roots: TraceNode[] = [];
  // An original is always created before its replays.
  for (const delivery of deliveries) {
    const node = { delivery, replays: [] };
    nodes.set(delivery.id, node);
    const original = delivery.replay_of === null ? undefined : nodes.get(delivery.replay_of);
    (original?.replays ?? roots).push(node);
  }
  return roots;
}

/** Number of older attempts of a delivery that the trace does not contain. */
export function countHiddenAttempts({ attempt_count: count, attempts }: DeliveryTrace): number {
  return Math.max(0, count - attempts.length);
}
