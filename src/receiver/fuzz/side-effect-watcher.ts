/** Waits for the side effects of a sequence. The waiting time depends on how fast the side effects of earlier sequences appeared. */
import { sleep } from '../../timers.ts';
import { pollSideEffects } from '../poll-side-effects.ts';
import type { ReadSideEffects, SideEffectReading } from '../side-effect-observer.ts';

/** The side effects of a sequence: of each event, or only their total if the observer returns a count. */
export type SideEffects =
  | { readonly mode: 'ids'; readonly countsById: ReadonlyMap<string, number> }
  | { readonly mode: 'count'; readonly count: number };

/** The range of side effects that an event may have. */
export interface ExpectedSideEffects {
  readonly min: number;
  readonly max: number;
}

/** Additional side effects are awaited for at least this long after the last step, and longer after slow side effects. */
const MIN_QUIET_MS = 40;
/** How many times the slowest time so far is added. */
const QUIET_FACTOR = 1.5;
/** With each sequence, so that a receiver that was slow once does not make all later waits long. */
const DECAY = 0.95;
const READ_RETRY_DELAYS_MS = [100, 400, 1_000];

export class SideEffectWatcher {
  readonly #read: ReadSideEffects;
  readonly #signal: AbortSignal;
  #slowestMs = 0;
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
   * Waits until the expected side effects are there, and long enough to see additional ones. Call this after the last step.
   * @param expected by the ID of the event
   * @param baseline the number of side effects before the sequence
   * @param timeoutMs how long to wait for a missing side effect
   */
  async waitFor(
    expected: ReadonlyMap<string, ExpectedSideEffects>,
    baseline: number,
    timeoutMs: number,
  ): Promise<SideEffects> {
    const startedAt = performance.now();
    let isComplete = false;
    const reading = await pollSideEffects(
      () => this.#readWithRetries(),
      (current, waitedMs) => {
        const sideEffects = toSideEffects(current, expected, baseline);
        const { isMissing, isExceeded } = compare(sideEffects, expected);
        if (!isMissing && !isComplete) {
          isComplete = true;
          this.#slowestMs = Math.max(this.#slowestMs * DECAY, performance.now() - startedAt);
        }
        // An additional side effect does not go away. With a count, late side effects would count for the next sequence.
        if (isExceeded && !isMissing && sideEffects.mode === 'ids') return true;
        const quietMs = this.#minQuietMs + QUIET_FACTOR * this.#slowestMs;
        return waitedMs >= (isComplete ? quietMs : timeoutMs);
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
    const sum = (bound: 'min' | 'max') =>
      [...expected.values()].reduce((total, sideEffect) => total + sideEffect[bound], 0);
    return { isMissing: sideEffects.count < sum('min'), isExceeded: sideEffects.count > sum('max') };
  }
  const { countsById } = sideEffects;
  const entries = [...expected].map(([id, bounds]) => ({ ...bounds, count: countsById.get(id) ?? 0 }));
  return {
    isMissing: entries.some(({ count, min }) => count < min),
    isExceeded: entries.some(({ count, max }) => count > max),
  };
}
