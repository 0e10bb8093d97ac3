/** What came of a replay, found in the live stream. */
import type { Attempt, Delivery } from '../../../contract/delivery-schemas.ts';
import type { StreamItem } from '../../../contract/stream-schemas.ts';
import type { Replay } from '../../../control/replay.ts';

export interface ReplayResult {
  readonly delivery: Delivery;
  /** The attempt that was asked for; null where the delivery was canceled before it could be made. */
  readonly attempt: Pick<Attempt, 'number' | 'outcome' | 'response_status' | 'duration_ms' | 'error'> | null;
}

/** Whether the item may be the answer to a replay of one of these, of which the new id may not be known yet. */
export function isAboutReplay(item: StreamItem, ids: { has(id: string): boolean }): boolean {
  if (!('delivery' in item)) return false;
  const { id, replay_of: original } = item.delivery;
  return ids.has(id) || (original !== null && ids.has(original));
}

/** The first answer to the replay among the items; null where there is none yet. */
export function findReplayResult(items: readonly StreamItem[], replay: Replay): ReplayResult | null {
  for (const item of items) {
    const answer = toReplayResult(item, replay);
    if (answer !== null) return answer;
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
