/** Counts the side effects of the deliveries of checks, which responses do not show. */
import { formatDuration } from '../domain/duration.ts';
import type { ReadSideEffects, SideEffectReading } from './side-effect-reader.ts';
import { type ExpectedSideEffects, SideEffectWatcher } from './side-effect-watcher.ts';

/** Longer than in a fuzz run, because an additional side effect that comes late would count for another check. */
const MIN_QUIET_MS = 200;
/** How long after the latest side effect a missing one may still come, from a worker that polls for events. */
const MAX_WORK_INTERVAL_MS = 5_000;

interface SideEffectCounts {
  readonly total: number;
  /** Those whose event svc has sent; 0 if the observer returns only a count. */
  readonly own: number;
}

/** The side effects of the deliveries since the wait before. */
interface SideEffectWait {
  readonly count: number;
  /** Whether no side effect is missing. */
  readonly isComplete: boolean;
}

/** Why side effects cannot be counted. */
export interface ObservationUnavailable {
  readonly reason: string;
}

export class SideEffectCounter {
  readonly #readSideEffects: ReadSideEffects;
  readonly #timeoutMs: number;
  readonly #watcher: SideEffectWatcher;
  /** Side effects of other senders do not count, once the observer has returned the ID of an event that svc has sent. */
  #unit: keyof SideEffectCounts = 'total';
  readonly #sentIds = new Set<string>();
  readonly #acceptedIds = new Set<string>();
  /** By the ID of the event, for the deliveries since the last wait. */
  #expected = new Map<string, ExpectedSideEffects>();
  /** After the last wait; null before the first. */
  #initial: SideEffectCounts | null = null;
  #latest: SideEffectCounts = { total: 0, own: 0 };
  #latestIds: readonly string[] = [];
  #workMs = Number.POSITIVE_INFINITY;

  /** @param timeoutMs how long a side effect of a measurement may take */
  constructor(readSideEffects: ReadSideEffects, timeoutMs: number, signal: AbortSignal) {
    this.#readSideEffects = readSideEffects;
    this.#timeoutMs = timeoutMs;
    this.#watcher = new SideEffectWatcher(() => this.#readSinceWait(), signal);
    this.#watcher.extendQuietTime(MIN_QUIET_MS);
  }

  /** The shortest time between the start of a measurement and its side effects; infinite before the first measurement. */
  get workMs(): number {
    return this.#workMs;
  }

  /** The number of side effects of an event so far; null if the observer does not return the IDs of events. */
  countOf(eventId: string): number | null {
    return this.#unit === 'own' ? this.#latestIds.filter((id) => id === eventId).length : null;
  }

  /** Call this before a delivery: its event can have a side effect. */
  noteSent(eventId: string): void {
    this.#sentIds.add(eventId);
    if (!this.#expected.has(eventId)) this.#expected.set(eventId, { min: 0, max: Number.POSITIVE_INFINITY });
  }

  /** Call this when a delivery was accepted: its event must have a side effect, unless it was accepted before. */
  noteAccepted(eventId: string): void {
    if (this.#acceptedIds.has(eventId)) return;
    this.#acceptedIds.add(eventId);
    this.#expected.set(eventId, { min: 1, max: Number.POSITIVE_INFINITY });
  }

  /** Waits until the side effects of all deliveries since the last wait are there. @param timeoutMs for a missing one */
  async wait(timeoutMs = Math.min(MAX_WORK_INTERVAL_MS, this.#timeoutMs)): Promise<SideEffectWait> {
    if (this.#initial !== null && this.#expected.size === 0) return { count: 0, isComplete: true };
    const expected = this.#expected;
    await this.#watcher.waitFor(expected, 0, timeoutMs);
    const count = this.#countSinceWait();
    this.#initial = this.#latest;
    this.#expected = new Map();
    const minCount = [...expected.values()].filter(({ min }) => min > 0).length;
    return { count, isComplete: count >= minCount };
  }

  /** Runs `action` and counts its side effects. */
  async measure<Result>(
    action: () => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly count: number }> {
    await this.wait();
    const startedAt = performance.now();
    const result = await action();
    const actionMs = performance.now() - startedAt;
    const isExpected = [...this.#expected.values()].some(({ min }) => min > 0);
    const { count, isComplete } = await this.wait(this.#timeoutMs);
    if (isExpected && isComplete) this.#workMs = Math.min(this.#workMs, actionMs + this.#watcher.latestMs);
    return { result, count };
  }

  /**
   * Tests the count with a valid delivery. The count is usable only if it rises by one. Call this before other deliveries, because
   * they could have late side effects.
   * @param deliver sends the delivery. @returns whether it was accepted
   */
  async test(deliver: () => Promise<boolean>): Promise<SideEffectCounter | ObservationUnavailable> {
    const { result: isAccepted, count } = await this.measure(deliver);
    if (count === 1) return this;
    if (!isAccepted) return { reason: 'Your receiver does not accept a valid delivery.' };
    return {
      reason:
        count === 0
          ? `The --observe count did not rise within ${formatDuration(this.#timeoutMs)} of a valid delivery. Count the events that your receiver has processed.`
          : `The --observe count rose by ${count} after one valid delivery. It must rise by 1 for each.`,
    };
  }

  async #readSinceWait(): Promise<SideEffectReading> {
    const { count, ids } = await this.#readSideEffects();
    const own = ids?.filter((id) => this.#sentIds.has(id)).length ?? 0;
    if (own > 0) this.#unit = 'own';
    this.#latestIds = ids ?? [];
    this.#latest = { total: count, own };
    this.#initial ??= this.#latest;
    return { count: this.#countSinceWait(), ids: null };
  }

  #countSinceWait(): number {
    return this.#latest[this.#unit] - (this.#initial?.[this.#unit] ?? 0);
  }
}
