/** Waits for the effects of a sequence. The waiting time depends on how fast the effects of earlier sequences appeared. */
import { sleep } from '../../timers.ts';
import type { EffectReading, ReadEffects } from '../effect-observer.ts';
import { pollEffects } from '../poll-effects.ts';

/** The effects of a sequence: of each event, or only their total if the observer returns a count. */
export type Effects =
  | { readonly mode: 'ids'; readonly countsById: ReadonlyMap<string, number> }
  | { readonly mode: 'count'; readonly count: number };

/** The range of effects that an event may have. */
export interface ExpectedEffects {
  readonly min: number;
  readonly max: number;
}

/** Additional effects are awaited for at least this long after the last step, and longer after slow effects. */
const MIN_QUIET_MS = 40;
/** How many times the slowest time so far is added. */
const QUIET_FACTOR = 1.5;
/** With each sequence, so that a receiver that was slow once does not make all later waits long. */
const DECAY = 0.95;
const READ_RETRY_DELAYS_MS = [100, 400, 1_000];

export class EffectWatcher {
  readonly #read: ReadEffects;
  readonly #signal: AbortSignal;
  #slowestMs = 0;
  #minQuietMs = MIN_QUIET_MS;
  #latestIds: readonly string[] | null = null;

  constructor(read: ReadEffects, signal: AbortSignal) {
    this.#read = read;
    this.#signal = signal;
  }

  /** The longest wait until all expected effects were there, in milliseconds; recent waits count more. */
  get slowestMs(): number {
    return this.#slowestMs;
  }

  /** The IDs of the events of all effects, as read last; null if the observer returns a count. */
  get latestIds(): readonly string[] | null {
    return this.#latestIds;
  }

  /** From now on, waits for additional effects at least this long. */
  extendQuietTime(quietMs: number): void {
    this.#minQuietMs = Math.max(this.#minQuietMs, quietMs);
  }

  /** The number of effects so far. Also updates {@link latestIds}. */
  async readCount(): Promise<number> {
    return (await this.#readWithRetries()).count;
  }

  /** The receiver itself may count its effects, and be restarting. */
  async #readWithRetries(): Promise<EffectReading> {
    for (const delayMs of READ_RETRY_DELAYS_MS) {
      try {
        return await this.#readOnce();
      } catch {
        await sleep(delayMs, this.#signal);
      }
    }
    return this.#readOnce();
  }

  async #readOnce(): Promise<EffectReading> {
    const reading = await this.#read();
    this.#latestIds = reading.ids;
    return reading;
  }

  /**
   * Waits until the expected effects are there, and long enough to see additional ones. Call this after the last step.
   * @param expected by the ID of the event
   * @param baseline the number of effects before the sequence
   * @param timeoutMs how long to wait for a missing effect
   */
  async waitFor(
    expected: ReadonlyMap<string, ExpectedEffects>,
    baseline: number,
    timeoutMs: number,
  ): Promise<Effects> {
    const startedAt = performance.now();
    let isComplete = false;
    const reading = await pollEffects(
      () => this.#readWithRetries(),
      (current, waitedMs) => {
        const effects = toEffects(current, expected, baseline);
        const { isMissing, isExceeded } = compare(effects, expected);
        if (!isMissing && !isComplete) {
          isComplete = true;
          this.#slowestMs = Math.max(this.#slowestMs * DECAY, performance.now() - startedAt);
        }
        // An additional effect does not go away. With a count, late effects would count for the next sequence.
        if (isExceeded && !isMissing && effects.mode === 'ids') return true;
        const quietMs = this.#minQuietMs + QUIET_FACTOR * this.#slowestMs;
        return waitedMs >= (isComplete ? quietMs : timeoutMs);
      },
      this.#signal,
    );
    return toEffects(reading, expected, baseline);
  }
}

function toEffects(
  { count, ids }: EffectReading,
  expected: ReadonlyMap<string, ExpectedEffects>,
  baseline: number,
): Effects {
  if (ids === null) return { mode: 'count', count: count - baseline };
  return { mode: 'ids', countsById: countById(ids.filter((id) => expected.has(id))) };
}

/** How often each ID occurs. */
export function countById(ids: readonly string[]): ReadonlyMap<string, number> {
  const countsById = new Map<string, number>();
  for (const id of ids) countsById.set(id, (countsById.get(id) ?? 0) + 1);
  return countsById;
}

function compare(effects: Effects, expected: ReadonlyMap<string, ExpectedEffects>) {
  if (effects.mode === 'count') {
    const sum = (bound: 'min' | 'max') =>
      [...expected.values()].reduce((total, effect) => total + effect[bound], 0);
    return { isMissing: effects.count < sum('min'), isExceeded: effects.count > sum('max') };
  }
  const { countsById } = effects;
  const entries = [...expected].map(([id, bounds]) => ({ ...bounds, count: countsById.get(id) ?? 0 }));
  return {
    isMissing: entries.some(({ count, min }) => count < min),
    isExceeded: entries.some(({ count, max }) => count > max),
  };
}
