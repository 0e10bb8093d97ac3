/** Waits for the side effects of deliveries. The waiting time depends on how fast earlier side effects appeared. */
import { sleep } from '../timers.ts';
import type { ReadSideEffects, SideEffectReading } from './side-effect-reader.ts';

/** The side effects of deliveries: of each event, or only their total if the observer returns a count. */
export type SideEffects =
  | { readonly mode: 'ids'; readonly countsById: ReadonlyMap<string, number> }
  | { readonly mode: 'count'; readonly count: number };

/** The range of side effects that an event may have. */
export interface ExpectedSideEffects {
  readonly min: number;
  readonly max: number;
}

/** Additional side effects are awaited for at least this long after the last delivery or side effect, and longer after slow ones. */
const MIN_QUIET_MS = 40;
/** Factor of the slowest time so far, which is added to the quiet time. */
const QUIET_FACTOR = 1.5;
/** Each wait reduces the slowest time by this factor, so that a receiver that was slow once does not make all later waits long. */
const DECAY = 0.95;
const READ_RETRY_DELAYS_MS = [100, 400, 1_000];
const MIN_INTERVAL_MS = 4;
const MAX_INTERVAL_MS = 40;
const INTERVAL_GROWTH = 1.5;

export class SideEffectWatcher {
  readonly #read: ReadSideEffects;
  readonly #signal: AbortSignal;
  #slowestMs = 0;
  #latestMs = 0;
  #minQuietMs = MIN_QUIET_MS;
  #latestIds: readonly string[] | null = null;

  constructor(read: ReadSideEffects, signal: AbortSignal) {
    this.#read = read;
    this.#signal = signal;
  }

  /** The longest wait until all expected side effects were there, in milliseconds; recent waits count more. */
  get slowestMs(): number {
    return this.#slowestMs;
  }

  /** How long the latest wait in which no side effect was missing took until all expected ones were there, in milliseconds. */
  get latestMs(): number {
    return this.#latestMs;
  }

  /** The IDs of the events of all side effects, as read last; null if the observer returns a count. */
  get latestIds(): readonly string[] | null {
    return this.#latestIds;
  }

  /** From now on, waits for additional side effects at least this long. */
  extendQuietTime(quietMs: number): void {
    this.#minQuietMs = Math.max(this.#minQuietMs, quietMs);
  }

  /** The number of side effects so far. Also updates {@link latestIds}. */
  async readCount(): Promise<number> {
    return (await this.#readWithRetries()).count;
  }

  /** The receiver itself may count its side effects, and be restarting. */
  async #readWithRetries(): Promise<SideEffectReading> {
    for (const delayMs of READ_RETRY_DELAYS_MS) {
      try {
        return await this.#readOnce();
      } catch {
        await sleep(delayMs, this.#signal);
      }
    }
    return this.#readOnce();
  }

  async #readOnce(): Promise<SideEffectReading> {
    const reading = await this.#read();
    this.#latestIds = reading.ids;
    return reading;
  }

  /**
   * Waits until the expected side effects are there, and long enough to see additional ones. Call this after the last delivery.
   * @param expected by the ID of the event
   * @param baseline the number of side effects before the deliveries
   * @param timeoutMs how long to wait for a missing side effect after the latest one, and at most for more side effects than events
   */
  async waitFor(
    expected: ReadonlyMap<string, ExpectedSideEffects>,
    baseline: number,
    timeoutMs: number,
  ): Promise<SideEffects> {
    const startedAt = performance.now();
    let completedAfterMs: number | null = null;
    let changedAfterMs = 0;
    let latestTotal: number | null = null;
    const reading = await pollSideEffects(
      () => this.#readWithRetries(),
      (current, waitedMs) => {
        const sideEffects = toSideEffects(current, expected, baseline);
        const { isMissing, isExceeded, total } = compare(sideEffects, expected);
        if (latestTotal !== null && total !== latestTotal) changedAfterMs = waitedMs;
        latestTotal = total;
        if (isMissing) return waitedMs - changedAfterMs >= timeoutMs;
        if (completedAfterMs === null) {
          completedAfterMs = waitedMs;
          this.#latestMs = performance.now() - startedAt;
          this.#slowestMs = Math.max(this.#slowestMs * DECAY, this.#latestMs);
        }
        // An additional side effect does not go away. With a count, late side effects would count for the next deliveries.
        if (isExceeded && sideEffects.mode === 'ids') return true;
        const quietMs = this.#minQuietMs + QUIET_FACTOR * this.#slowestMs;
        if (waitedMs - changedAfterMs >= quietMs) return true;
        // With a count, other senders can cause side effects all the time.
        return total > expected.size && waitedMs - completedAfterMs >= timeoutMs + quietMs;
      },
      this.#signal,
    );
    return toSideEffects(reading, expected, baseline);
  }
}

function toSideEffects(
  { count, ids }: SideEffectReading,
  expected: ReadonlyMap<string, ExpectedSideEffects>,
  baseline: number,
): SideEffects {
  if (ids === null) return { mode: 'count', count: count - baseline };
  return { mode: 'ids', countsById: countById(ids.filter((id) => expected.has(id))) };
}

/** How often each ID occurs. */
export function countById(ids: readonly string[]): ReadonlyMap<string, number> {
  const countsById = new Map<string, number>();
  for (const id of ids) countsById.set(id, (countsById.get(id) ?? 0) + 1);
  return countsById;
}

function compare(sideEffects: SideEffects, expected: ReadonlyMap<string, ExpectedSideEffects>) {
  if (sideEffects.mode === 'count') {
    const { count } = sideEffects;
    const sum = (bound: 'min' | 'max') =>
      [...expected.values()].reduce((total, sideEffect) => total + sideEffect[bound], 0);
    return { total: count, isMissing: count < sum('min'), isExceeded: count > sum('max') };
  }
  const { countsById } = sideEffects;
  const entries = [...expected].map(([id, bounds]) => ({ ...bounds, count: countsById.get(id) ?? 0 }));
  return {
    total: entries.reduce((total, { count }) => total + count, 0),
    isMissing: entries.some(({ count, min }) => count < min),
    isExceeded: entries.some(({ count, max }) => count > max),
  };
}

/**
 * Reads side effects at growing intervals until `isDone`, or until the signal is aborted.
 * @param isDone gets the milliseconds of waiting so far, without those in which this process was paused between two readings,
 *   for example by a busy machine. Side effects of that time have not been read yet.
 * @returns the last reading
 */
async function pollSideEffects(
  read: ReadSideEffects,
  isDone: (reading: SideEffectReading, waitedMs: number) => boolean,
  signal: AbortSignal,
): Promise<SideEffectReading> {
  const startedAt = performance.now();
  let pausedMs = 0;
  for (
    let intervalMs = MIN_INTERVAL_MS;
    ;
    intervalMs = Math.min(MAX_INTERVAL_MS, intervalMs * INTERVAL_GROWTH)
  ) {
    const readFrom = performance.now();
    const reading = await read();
    const readAt = performance.now();
    if (isDone(reading, readAt - startedAt - pausedMs) || signal.aborted) return reading;
    // Waits as long as the reading took, so that reading a long list does not occupy the receiver all the time.
    const sleepMs = Math.max(intervalMs, readAt - readFrom);
    await sleep(sleepMs, signal);
    // The sleep also ends early, when the signal is aborted.
    pausedMs += Math.max(0, performance.now() - readAt - sleepMs);
  }
}
