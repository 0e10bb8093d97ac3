/** Waits for the side effects of deliveries, which responses do not show, and counts them. */
import { SECOND_MS } from '../domain/duration.ts';
import { sleep } from '../platform/timers.ts';
import type { ReadSideEffects, SideEffectReading } from './side-effect-reader.ts';

export interface SideEffects {
  readonly count: number;
  /** The number for each event, by its ID; null if the observer does not return the IDs of events. */
  readonly countsById: ReadonlyMap<string, number> | null;
}

/** The number of side effects that each event has at least, by its ID: 1 after its delivery was accepted, otherwise 0. */
export type ExpectedSideEffects = ReadonlyMap<string, number>;

/** Additional side effects are awaited for at least this long after the last delivery or side effect, and longer after slow ones. */
const MIN_QUIET_MS = 100;
/** Factor of the longest time between two side effects, which is added to the quiet time. */
const QUIET_FACTOR = 1.5;
/** The waits that show how long a side effect takes. A receiver that is slow once later must not make all waits long. */
const MEASURED_WAITS = 3;
/** How long to wait for a receiver that works on one event after the other. */
const MAX_WAIT_MS = 30 * SECOND_MS;
const READ_RETRY_DELAYS_MS = [100, 400, 1_000];
const MIN_INTERVAL_MS = 4;
const MAX_INTERVAL_MS = 40;
const INTERVAL_GROWTH = 1.5;

export class SideEffectObserver {
  /** The longest time between two side effects, or before the first one, in milliseconds. */
  slowestMs = 0;
  readonly #read: ReadSideEffects;
  readonly #signal: AbortSignal;
  /** Whether the observer has returned the ID of an own event. Side effects of other senders do not count then. */
  #hasIds = false;
  /** The number of side effects before those that are awaited. */
  #baseline = 0;
  /** The side effects whose wait has not ended. */
  readonly #pending = new Map<string, number>();
  #measuredWaits = 0;

  constructor(read: ReadSideEffects, signal: AbortSignal) {
    this.#read = read;
    this.#signal = signal;
  }

  /** Leaves the side effects of deliveries to the next {@link begin}. */
  postpone(expected: ExpectedSideEffects): void {
    for (const [id, min] of expected) this.#pending.set(id, min);
  }

  /**
   * Call this before the first delivery. Waits for postponed side effects.
   * @param timeoutMs as in {@link wait}. @returns false if the receiver is still working on earlier deliveries
   */
  async begin(timeoutMs: number): Promise<boolean> {
    const pending = new Map(this.#pending);
    if (pending.size > 0 && (await this.wait(pending, timeoutMs)) === null) return false;
    this.#baseline = (await this.#readWithRetries()).count;
    return true;
  }

  /**
   * Waits until the expected side effects are there, and long enough to see additional ones. Call this after the last delivery.
   * @param timeoutMs how long to wait for a missing side effect after the latest one, and at most for more than one of each event
   * @returns null if the receiver is still working after {@link MAX_WAIT_MS}
   */
  async wait(expected: ExpectedSideEffects, timeoutMs: number): Promise<SideEffects | null> {
    this.postpone(expected);
    // Without the time in which this process was paused, for example by a busy machine.
    let [waitedMs, changedAfterMs, slowestMs] = [0, 0, 0];
    let intervalMs = MIN_INTERVAL_MS;
    let latestCount = 0;
    for (;;) {
      const readFrom = performance.now();
      const reading = await this.#readWithRetries();
      const readMs = performance.now() - readFrom;
      waitedMs += readMs;
      const sideEffects = this.#toSideEffects(reading, expected);
      const { count } = sideEffects;
      if (count !== latestCount) {
        slowestMs = Math.max(slowestMs, waitedMs - changedAfterMs);
        [latestCount, changedAfterMs] = [count, waitedMs];
      }
      const unchangedMs = waitedMs - changedAfterMs;
      const quietMs = MIN_QUIET_MS + QUIET_FACTOR * Math.max(slowestMs, this.slowestMs);
      const isMissing = isAnyMissing(sideEffects, expected);
      // With a count, other senders can cause side effects all the time.
      const isExcess = !isMissing && count > expected.size && waitedMs >= timeoutMs + quietMs;
      if (unchangedMs >= (isMissing ? timeoutMs : quietMs) || isExcess || this.#signal.aborted) {
        if (slowestMs > 0 && this.#measuredWaits++ < MEASURED_WAITS) {
          this.slowestMs = Math.max(this.slowestMs, slowestMs);
        }
        for (const id of expected.keys()) this.#pending.delete(id);
        this.#baseline = reading.count;
        return sideEffects;
      }
      if (isMissing && waitedMs >= Math.max(MAX_WAIT_MS, timeoutMs)) return null;
      // Waits as long as the reading took, so that reading a long list does not occupy the receiver all the time.
      const sleepMs = Math.max(intervalMs, readMs);
      await sleep(sleepMs, this.#signal);
      waitedMs += sleepMs;
      intervalMs = Math.min(MAX_INTERVAL_MS, intervalMs * INTERVAL_GROWTH);
    }
  }

  #toSideEffects({ count, ids }: SideEffectReading, expected: ExpectedSideEffects): SideEffects {
    const own = ids?.filter((id) => expected.has(id)) ?? [];
    this.#hasIds ||= own.length > 0;
    if (!this.#hasIds) return { count: count - this.#baseline, countsById: null };
    const countsById = new Map<string, number>();
    for (const id of own) countsById.set(id, (countsById.get(id) ?? 0) + 1);
    return { count: own.length, countsById };
  }

  /** The receiver itself may count its side effects, and be restarting. */
  async #readWithRetries(): Promise<SideEffectReading> {
    for (const delayMs of READ_RETRY_DELAYS_MS) {
      try {
        return await this.#read();
      } catch {
        await sleep(delayMs, this.#signal);
      }
    }
    return this.#read();
  }
}

function isAnyMissing({ count, countsById }: SideEffects, expected: ExpectedSideEffects): boolean {
  if (countsById !== null) return [...expected].some(([id, min]) => (countsById.get(id) ?? 0) < min);
  return count < [...expected.values()].reduce((total, min) => total + min, 0);
}
