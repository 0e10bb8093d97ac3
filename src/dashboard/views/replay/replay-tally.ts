/** Counts the results of a bulk replay and collects those that did not succeed. */
import type { StreamItem } from '../../../contract/stream-schemas.ts';
import type { Replay, ReplayOutcome, ReplayRefusal } from '../../../control/replay.ts';
import { findReplayResult, isAboutReplay, type ReplayResult } from './replay-result.ts';

export class ReplayTally {
  readonly #ids: ReadonlySet<string>;
  /** Replays that wait for the receiver, by delivery ID. */
  readonly #waiting = new Map<string, Replay>();
  /** Stream items that arrived before the response that names their delivery. */
  readonly #early = new Map<string, StreamItem[]>();
  readonly failures: ReplayResult[] = [];
  readonly rejections: ReplayRefusal[] = [];
  succeeded = 0;

  constructor(ids: readonly string[]) {
    this.#ids = new Set(ids);
  }

  get total(): number {
    return this.#ids.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Replays that the emulator accepted or rejected. */
  get started(): number {
    return this.waiting + this.done;
  }

  get done(): number {
    return this.succeeded + this.failures.length + this.rejections.length;
  }

  record(outcome: ReplayOutcome): void {
    if ('error' in outcome) {
      this.rejections.push(outcome);
      return;
    }
    const { id } = outcome.delivery;
    this.#waiting.set(id, outcome);
    const early = this.#early.get(id) ?? [];
    this.#early.delete(id);
    for (const item of early) this.applyItem(item);
  }

  applyItem(item: StreamItem): void {
    // After a reset, no results arrive.
    if (item.type === 'reset') this.#waiting.clear();
    if (!('delivery' in item) || !isAboutReplay(item, this.#ids)) return;
    const { id } = item.delivery;
    const replay = this.#waiting.get(id);
    if (replay === undefined) {
      this.#early.set(id, [...(this.#early.get(id) ?? []), item]);
      return;
    }
    const result = findReplayResult([item], replay);
    if (result === null) return;
    this.#waiting.delete(id);
    if (result.attempt?.outcome === 'succeeded') this.succeeded++;
    else this.failures.push(result);
  }
}
