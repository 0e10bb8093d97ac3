/** Counts the effects of deliveries, which responses do not show. */
import { formatDuration } from '../domain/duration.ts';
import { sleep } from '../timers.ts';
import type { CountEffects } from './effect-observer.ts';

const READ_INTERVAL_MS = 25;
/** Effects are complete if none comes for this time, or for longer than the first one took. */
const MIN_QUIET_PERIOD_MS = 200;
const QUIET_FACTOR = 1.5;
/** How long after the last effect one of an accepted event may come, from a worker that looks for events now and then. */
const MAX_WORK_INTERVAL_MS = 5_000;

interface Measurement<Result> {
  readonly result: Result;
  /** The number of effects. */
  readonly count: number;
}

/** Why effects cannot be counted. */
export interface ObservationUnavailable {
  readonly reason: string;
}

export class EffectCounter {
  /** The number of effects so far. */
  readonly read: CountEffects;
  readonly #timeoutMs: number;
  readonly #signal: AbortSignal;
  #quietPeriodMs = MIN_QUIET_PERIOD_MS;
  #isStable = false;
  #workMs = Number.POSITIVE_INFINITY;
  readonly #acceptedIds = new Set<string>();
  /** The count when it was stable, and the number of events that were accepted since. */
  #stableCount = 0;
  #missingCount = 0;

  /** @param timeoutMs how long the first effect may take @param signal ends all waits */
  constructor(countEffects: CountEffects, timeoutMs: number, signal: AbortSignal) {
    this.read = countEffects;
    this.#timeoutMs = timeoutMs;
    this.#signal = signal;
  }

  /** Whether no effect came in the quiet period, and no delivery was sent since. */
  get isStable(): boolean {
    return this.#isStable;
  }

  /** The shortest time between sending a delivery and its effect. */
  get workMs(): number {
    return this.#workMs;
  }

  /** Call this before a delivery: the count can change. */
  expectChange(): void {
    this.#isStable = false;
  }

  /** Call this when a delivery of an event was accepted: one effect must come. */
  expectEffect(eventId: string): void {
    if (this.#acceptedIds.has(eventId)) return;
    this.#acceptedIds.add(eventId);
    this.#missingCount++;
  }

  /**
   * Runs `action` and counts its effects.
   * @param expectsEffect whether to wait for an effect (default: always)
   */
  async measure<Result>(
    action: () => Promise<Result>,
    expectsEffect: (result: Result) => boolean = () => true,
  ): Promise<Measurement<Result>> {
    const initialCount = await this.waitUntilStable();
    this.expectChange();
    const startedAt = performance.now();
    const result = await action();
    if (expectsEffect(result) && (await this.waitForIncrease(initialCount))) {
      this.#workMs = Math.min(this.#workMs, performance.now() - startedAt);
    }
    return { result, count: (await this.waitUntilStable()) - initialCount };
  }

  /** Waits until the count is above `initialCount`. @returns false after the timeout. */
  async waitForIncrease(initialCount: number): Promise<boolean> {
    const startedAt = performance.now();
    const getElapsedMs = () => performance.now() - startedAt;
    while ((await this.read()) <= initialCount) {
      if (this.#signal.aborted || getElapsedMs() > this.#timeoutMs) return false;
      await sleep(READ_INTERVAL_MS, this.#signal);
    }
    this.#quietPeriodMs = Math.max(this.#quietPeriodMs, QUIET_FACTOR * getElapsedMs());
    return true;
  }

  /**
   * Waits until every accepted event has its effect and the count has not changed for the quiet period, or for `limitMs`;
   * `isStable` is false then.
   * @returns the count.
   */
  async waitUntilStable(limitMs = Number.POSITIVE_INFINITY): Promise<number> {
    let count = await this.read();
    if (this.#isStable) return count;
    const startedAt = performance.now();
    for (let changedAt = startedAt; performance.now() - changedAt < this.#getWaitMs(count); ) {
      if (this.#signal.aborted || performance.now() - startedAt > limitMs) return count;
      await sleep(READ_INTERVAL_MS, this.#signal);
      const newCount = await this.read();
      if (newCount !== count) changedAt = performance.now();
      count = newCount;
    }
    this.#isStable = true;
    this.#stableCount = count;
    this.#missingCount = 0;
    return count;
  }

  /** How long to wait for the next effect. */
  #getWaitMs(count: number): number {
    const isMissing = count < this.#stableCount + this.#missingCount;
    const maxIntervalMs = Math.min(MAX_WORK_INTERVAL_MS, this.#timeoutMs);
    return isMissing ? Math.max(maxIntervalMs, this.#quietPeriodMs) : this.#quietPeriodMs;
  }
}

/**
 * Tests the count with a valid delivery, before other deliveries that could have late effects. The count is usable only if it rises by one.
 * @param deliver sends the delivery. @returns whether it was accepted
 */
export async function createEffectCounter(
  countEffects: CountEffects,
  deliver: () => Promise<boolean>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<EffectCounter | ObservationUnavailable> {
  const counter = new EffectCounter(countEffects, timeoutMs, signal);
  const { result: isAccepted, count } = await counter.measure(deliver, (accepted) => accepted);
  if (count === 1) return counter;
  if (!isAccepted) return { reason: 'Your receiver does not accept a valid delivery.' };
  return {
    reason:
      count === 0
        ? `The --observe count did not rise within ${formatDuration(timeoutMs)} of a valid delivery. Count the events that your receiver has processed.`
        : `The --observe count rose by ${count} after one valid delivery. It must rise by 1 for each.`,
  };
}
