/** Waits for the side effects of deliveries, which responses do not show, and counts them. */
import { SECOND_MS } from '../domain/duration.ts';
import { sleep } from '../platform/timers.ts';
import type { ReadSideEffects, SideEffectReading } from './side-effect-reader.ts';

/** The side effects of deliveries: of each event, or only their total if the observer does not return the IDs of events. */
export type SideEffects =
  | { readonly mode: 'ids'; readonly countsById: ReadonlyMap<string, number> }
  | { readonly mode: 'count'; readonly count: number };

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
  readonly #read: ReadSideEffects;
  readonly #signal: AbortSignal;
  #mode: SideEffects['mode'] = 'count';
  /** The number of side effects before those that are awaited. */
  #baseline = 0;
  /** The side effects whose wait has not ended. */
  readonly #pending = new Map<string, number>();
  #slowestMs = 0;
  #measuredWaits = 0;

  constructor(read: ReadSideEffects, signal: AbortSignal) {
    this.#read = read;
    this.#signal = signal;
  }

  /** The longest time between two side effects, or before the first one, in milliseconds. */
  get slowestMs(): number {
    return this.#slowestMs;
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
    let [changedAfterMs, slowestMs] = [0, 0];
    let latestTotal: number | null = null;
    let completedAfterMs: number | null = null;
    let isBusy = false;
    const reading = await this.#poll((current, waitedMs) => {
      const { isMissing, total } = compare(this.#toSideEffects(current, expected), expected);
      if (total !== (latestTotal ?? 0)) {
        slowestMs = Math.max(slowestMs, waitedMs - changedAfterMs);
        if (latestTotal !== null) changedAfterMs = waitedMs;
      }
      latestTotal = total;
      const unchangedMs = waitedMs - changedAfterMs;
      isBusy = isMissing && unchangedMs < timeoutMs && waitedMs >= Math.max(MAX_WAIT_MS, timeoutMs);
      if (isMissing) return isBusy || unchangedMs >= timeoutMs;
      completedAfterMs ??= waitedMs;
      const quietMs = MIN_QUIET_MS + QUIET_FACTOR * Math.max(slowestMs, this.#slowestMs);
      if (unchangedMs >= quietMs) return true;
      // With a count, other senders can cause side effects all the time.
      return total > expected.size && waitedMs - completedAfterMs >= timeoutMs + quietMs;
    });
    if (slowestMs > 0 && this.#measuredWaits++ < MEASURED_WAITS) {
      this.#slowestMs = Math.max(this.#slowestMs, slowestMs);
    }
    if (isBusy) return null;
    const sideEffects = this.#toSideEffects(reading, expected);
    for (const id of expected.keys()) this.#pending.delete(id);
    this.#baseline = reading.count;
    return sideEffects;
  }

  /** IDs count once the observer has returned that of an own event. Those of other senders do not count then. */
  #toSideEffects({ count, ids }: SideEffectReading, expected: ExpectedSideEffects): SideEffects {
    const own = ids?.filter((id) => expected.has(id)) ?? [];
    if (own.length > 0) this.#mode = 'ids';
    if (this.#mode === 'count') return { mode: 'count', count: count - this.#baseline };
    const countsById = new Map<string, number>();
    for (const id of own) countsById.set(id, (countsById.get(id) ?? 0) + 1);
    return { mode: 'ids', countsById };
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

  /**
   * Reads side effects at growing intervals until `isDone`, or until the signal is aborted.
   * @param isDone gets the milliseconds of waiting so far, without those in which this process was paused, for example by a busy
   *   machine
   * @returns the last reading
   */
  async #poll(isDone: (reading: SideEffectReading, waitedMs: number) => boolean): Promise<SideEffectReading> {
    let [waitedMs, intervalMs] = [0, MIN_INTERVAL_MS];
    for (;;) {
      const readFrom = performance.now();
      const reading = await this.#readWithRetries();
      const readMs = performance.now() - readFrom;
      waitedMs += readMs;
      if (isDone(reading, waitedMs) || this.#signal.aborted) return reading;
      // Waits as long as the reading took, so that reading a long list does not occupy the receiver all the time.
      const sleepMs = Math.max(intervalMs, readMs);
      await sleep(sleepMs, this.#signal);
      waitedMs += sleepMs;
      intervalMs = Math.min(MAX_INTERVAL_MS, intervalMs * INTERVAL_GROWTH);
    }
  }
}

function compare(sideEffects: SideEffects, expected: ExpectedSideEffects) {
  if (sideEffects.mode === 'count') {
    const { count } = sideEffects;
    return { total: count, isMissing: count < sum(expected.values()) };
  }
  const { countsById } = sideEffects;
  return {
    total: sum(countsById.values()),
    isMissing: [...expected].some(([id, min]) => (countsById.get(id) ?? 0) < min),
  };
}

function sum(counts: Iterable<number>): number {
  return [...counts].reduce((total, count) => total + count, 0);
}
