/** Counts the results of a bulk replay and collects those that did not succeed. */
import type { StreamItem } from '../../../contract/stream-schemas.ts';
import type { Replay, ReplayOutcome, ReplayRefusal } from '../../../control/replay.ts';
import { findReplayResult, isAboutReplay, type ReplayResult } from './replay-result.ts';

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
