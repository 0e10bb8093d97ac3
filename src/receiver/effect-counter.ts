/** Counts the effects of deliveries, which responses do not show. */
import { setTimeout as sleep } from 'node:timers/promises';
import { formatDuration } from '../domain/duration.ts';
import type { CountEffects } from './effect-observer.ts';

const READ_INTERVAL_MS = 25;
/** Effects are complete if none comes for twice the time that the first one took, within these bounds. */
const MIN_QUIET_PERIOD_MS = 300;
const MAX_QUIET_PERIOD_MS = 5_000;

/** Why effects cannot be counted. */
export interface ObservationUnavailable {
  readonly reason: string;
}

export class EffectCounter {
  /** The number of effects so far. */
  readonly read: CountEffects;
  readonly #timeoutMs: number;
  #quietPeriodMs = MIN_QUIET_PERIOD_MS;

  /** @param timeoutMs how long the first effect may take */
  constructor(countEffects: CountEffects, timeoutMs: number) {
    this.read = countEffects;
    this.#timeoutMs = timeoutMs;
  }

  /** Runs `action` and counts its effects. */
  async measure<Result>(
    action: () => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly count: number }> {
    const initialCount = await this.waitUntilStable();
    const result = await action();
    await this.waitForIncrease(initialCount);
    return { result, count: (await this.waitUntilStable()) - initialCount };
  }

  /** Waits until the count is above `initialCount`. @returns false after the timeout. */
  async waitForIncrease(initialCount: number): Promise<boolean> {
    const startedAt = performance.now();
    const getElapsedMs = () => performance.now() - startedAt;
    while ((await this.read()) <= initialCount) {
      if (getElapsedMs() > this.#timeoutMs) return false;
      await sleep(READ_INTERVAL_MS);
    }
    this.#quietPeriodMs = Math.min(MAX_QUIET_PERIOD_MS, Math.max(this.#quietPeriodMs, 2 * getElapsedMs()));
    return true;
  }

  /** Waits until the count has not changed for the quiet period. @returns the count. */
  async waitUntilStable(): Promise<number> {
    let count = await this.read();
    for (let changedAt = performance.now(); performance.now() - changedAt < this.#quietPeriodMs; ) {
      await sleep(READ_INTERVAL_MS);
      const newCount = await this.read();
      if (newCount !== count) changedAt = performance.now();
      count = newCount;
    }
    return count;
  }
}

/** Tests the count with a valid delivery. It is usable only if it rises by one. */
export async function createEffectCounter(
  countEffects: CountEffects,
  sendValid: () => Promise<unknown>,
  timeoutMs: number,
): Promise<EffectCounter | ObservationUnavailable> {
  const counter = new EffectCounter(countEffects, timeoutMs);
  const { count } = await counter.measure(sendValid);
  if (count === 1) return counter;
  return {
    reason:
      count === 0
        ? `The --observe count did not rise within ${formatDuration(timeoutMs)} of a valid delivery. Count the events that your receiver has processed.`
        : `The --observe count rose by ${count} after one valid delivery. It must rise by 1 for each.`,
  };
}
