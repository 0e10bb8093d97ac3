/** Finds the result of a replay in the live stream. */
import type { Attempt, Delivery } from '../../../contract/delivery-schemas.ts';
import type { StreamItem } from '../../../contract/stream-schemas.ts';
import type { Replay } from '../../../control/replay.ts';

export interface ReplayResult {
  readonly delivery: Delivery;
  /** The attempt of the replay; null when the delivery was canceled before it. */
  readonly attempt: Pick<Attempt, 'number' | 'outcome' | 'response_status' | 'duration_ms' | 'error'> | null;
}

/** Whether the item may be the result of a replay of one of `ids`. The ID of a new delivery may not be known yet. */
export function isAboutReplay(item: StreamItem, ids: { has(id: string): boolean }): boolean {
  if (!('delivery' in item)) return false;
  const { id, replay_of: original } = item.delivery;
  return ids.has(id) || (original !== null && ids.has(original));
}

/** The first result of the replay among the items; null while the replay has no result. */
export function findReplayResult(items: readonly StreamItem[], replay: Replay): ReplayResult | null {
  for (const item of items) {
    const result = toReplayResult(item, replay);
    if (result !== null) return result;
  }
  return null;
}

function toReplayResult(item: StreamItem, { delivery: { id }, attemptsBefore }: Replay): ReplayResult | null {
  if (!('delivery' in item) || item.delivery.id !== id) return null;
  const { delivery } = item;
  if (item.type === 'attempt') {
    return item.attempt.number > attemptsBefore ? { delivery, attempt: item.attempt } : null;
  }
  return delivery.status === 'canceled' ? { delivery, attempt: null } : null;
}
