/** Counts the effects of deliveries, which responses do not show. */
import { setTimeout as pause } from 'node:timers/promises';
import { formatDuration } from '../domain/duration.ts';
import type { CountEffects } from './effect-observer.ts';

const READ_INTERVAL_MS = 25;
/** Effects are complete when none has come for twice the time of the first one, within these bounds. */
const MIN_QUIET_PERIOD_MS = 300;
const MAX_QUIET_PERIOD_MS = 5_000;

/** Effects cannot be counted. */
export interface ObservationUnavailable {
  readonly reason: string;
}

export class EffectCounter {
  readonly read: CountEffects;
  readonly #timeoutMs: number;
  #quietPeriodMs = MIN_QUIET_PERIOD_MS;

  /** @param timeoutMs how long the first effect may take */
  constructor(count: CountEffects, timeoutMs: number) {
    this.read = count;
    this.#timeoutMs = timeoutMs;
  }

  /** Runs `act` and counts its effects. */
  async measure<Result>(
    act: () => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly count: number }> {
    const before = await this.waitUntilStable();
    const result = await act();
    await this.waitForIncrease(before);
    return { result, count: (await this.waitUntilStable()) - before };
  }

  /** Waits until the count is above `before`. @returns false after the timeout. */
  async waitForIncrease(before: number): Promise<boolean> {
    const startedAt = performance.now();
    const elapsed = () => performance.now() - startedAt;
    while ((await this.read()) <= before) {
      if (elapsed() > this.#timeoutMs) return false;
      await pause(READ_INTERVAL_MS);
    }
    this.#quietPeriodMs = Math.min(MAX_QUIET_PERIOD_MS, Math.max(this.#quietPeriodMs, 2 * elapsed()));
    return true;
  }

  /** Waits until the count has been stable for a while. @returns the count. */
  async waitUntilStable(): Promise<number> {
    let count = await this.read();
    for (let quietSince = performance.now(); performance.now() - quietSince < this.#quietPeriodMs; ) {
      await pause(READ_INTERVAL_MS);
      const now = await this.read();
      if (now !== count) quietSince = performance.now();
      count = now;
    }
    return count;
  }
}

/** Tests the count with a valid delivery. It is usable only if it rises by one. */
export async function createEffectCounter(
  count: CountEffects,
  sendValid: () => Promise<unknown>,
  timeoutMs: number,
): Promise<EffectCounter | ObservationUnavailable> {
  const counter = new EffectCounter(count, timeoutMs);
  const { count: rise } = await counter.measure(sendValid);
  if (rise === 1) return counter;
  const within = `within ${formatDuration(timeoutMs)}`;
  return {
    reason:
      rise === 0
        ? `The --observe count did not rise ${within} of a valid delivery. Count the events that your receiver has processed.`
        : `The --observe count rose by ${rise} after one valid delivery. It must rise by 1 for each.`,
  };
}
