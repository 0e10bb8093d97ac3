/** Counts the results of a bulk replay and collects those that did not succeed. */

import type { Replay, ReplayOutcome, ReplayRefusal } from '../../../client/replay.ts';
import type { Attempt, Delivery } from '../../../contract/delivery-schemas.ts';
import type { StreamItem } from '../../../contract/stream-schemas.ts';

export class ReplayTally {
  readonly #ids: ReadonlySet<string>;
  /** Replays that wait for the receiver, by delivery ID. */
  readonly #waitingReplays = new Map<string, Replay>();
  /** Stream items that arrived before the response with the ID of their delivery, by that ID. */
  readonly #earlyItems = new Map<string, StreamItem[]>();
  readonly failures: ReplayResult[] = [];
  readonly rejections: ReplayRefusal[] = [];
  succeededCount = 0;

  constructor(ids: readonly string[]) {
    this.#ids = new Set(ids);
  }

  get totalCount(): number {
    return this.#ids.size;
  }

  get waitingCount(): number {
    return this.#waitingReplays.size;
  }

  /** Replays that the emulator accepted or rejected. */
  get startedCount(): number {
    return this.waitingCount + this.doneCount;
  }

  get doneCount(): number {
    return this.succeededCount + this.failures.length + this.rejections.length;
  }

  record(outcome: ReplayOutcome): void {
    if ('error' in outcome) {
      this.rejections.push(outcome);
      return;
    }
    const { id } = outcome.delivery;
    this.#waitingReplays.set(id, outcome);
    const earlyItems = this.#earlyItems.get(id) ?? [];
    this.#earlyItems.delete(id);
    for (const item of earlyItems) this.applyItem(item);
  }

  applyItem(item: StreamItem): void {
    // After a reset, no results arrive.
    if (item.type === 'reset') this.#waitingReplays.clear();
    if (!('delivery' in item) || !isAboutReplay(item, this.#ids)) return;
    const { id } = item.delivery;
    const replay = this.#waitingReplays.get(id);
    if (replay === undefined) {
      this.#earlyItems.set(id, [...(this.#earlyItems.get(id) ?? []), item]);
      return;
    }
    const result = findReplayResult([item], replay);
    if (result === null) return;
    this.#waitingReplays.delete(id);
    if (result.attempt?.outcome === 'succeeded') this.succeededCount++;
    else this.failures.push(result);
  }
}

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
