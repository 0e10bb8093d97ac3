/** What a receiver does besides answering, seen through the count of it. */
import { setTimeout as pause } from 'node:timers/promises';
import { formatDuration } from '../domain/duration.ts';
import type { CountEffects } from './effect-observer.ts';

const LOOK_EVERY_MS = 25;
/** Effects have come to an end when none has come for twice the time that a first one took, within these bounds. */
const SHORTEST_CALM_MS = 300;
const LONGEST_CALM_MS = 5_000;

/** Why effects cannot be told. */
export interface ObservationUnavailable {
  readonly why: string;
}

export class EffectCounter {
  readonly read: CountEffects;
  readonly #patienceMs: number;
  #calmMs = SHORTEST_CALM_MS;

  /** @param effectTimeoutMs how long a first effect may take. */
  constructor(count: CountEffects, patienceMs: number) {
    this.read = count;
    this.#patienceMs = patienceMs;
  }

  /** The result of `act`, and how many effects it has. */
  async measure<Result>(
    act: () => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly count: number }> {
    const before = await this.waitUntilStable();
    const result = await act();
    await this.waitForIncrease(before);
    return { result, count: (await this.waitUntilStable()) - before };
  }

  /** Whether the count rises above `before` in time. */
  async waitForIncrease(before: number): Promise<boolean> {
    const startedAt = performance.now();
    const elapsed = () => performance.now() - startedAt;
    while ((await this.read()) <= before) {
      if (elapsed() > this.#patienceMs) return false;
      await pause(LOOK_EVERY_MS);
    }
    this.#calmMs = Math.min(LONGEST_CALM_MS, Math.max(this.#calmMs, 2 * elapsed()));
    return true;
  }

  /** The count when it has not risen for a while. */
  async waitUntilStable(): Promise<number> {
    let count = await this.read();
    for (let calmSince = performance.now(); performance.now() - calmSince < this.#calmMs; ) {
      await pause(LOOK_EVERY_MS);
      const now = await this.read();
      if (now !== count) calmSince = performance.now();
      count = now;
    }
    return count;
  }
}

/** Tries the count out on a genuine delivery: only where that has one effect can others be judged by it. */
export async function createEffectCounter(
  count: CountEffects,
  sendGenuine: () => Promise<unknown>,
  patienceMs: number,
): Promise<EffectCounter | ObservationUnavailable> {
  const effects = new EffectCounter(count, patienceMs);
  const { count: rise } = await effects.measure(sendGenuine);
  if (rise === 1) return effects;
  const within = `within ${formatDuration(patienceMs)}`;
  return {
    why:
      rise === 0
        ? `The count of --observe did not rise ${within} of a genuine delivery: does it count what the receiver does?`
        : `The count of --observe rose by ${rise} with one genuine delivery: it must rise by 1 with each.`,
  };
}
