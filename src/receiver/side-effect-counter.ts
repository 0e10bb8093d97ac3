/** Counts the side effects of deliveries, which responses do not show. */
import { formatDuration } from '../domain/duration.ts';
import { pollSideEffects } from './poll-side-effects.ts';
import type { ReadSideEffects, SideEffectReading } from './side-effect-observer.ts';

/** Side effects are complete if none comes for at least this time, and for longer if a side effect once took longer. */
const MIN_QUIET_PERIOD_MS = 200;
/** How many times as long as the slowest first side effect of a measurement so far. */
const QUIET_FACTOR = 1.5;
/** How long after the latest side effect a missing one may still come, from a worker that looks for events now and then. */
const MAX_WORK_INTERVAL_MS = 5_000;
/** How long to wait at most before the first delivery, because other senders can cause side effects all the time. */
const MAX_INITIAL_WAIT_MS = 2_000;

interface Measurement<Result> {
  readonly result: Result;
  /** The number of side effects. */
  readonly count: number;
}

/** Why side effects cannot be counted. */
export interface ObservationUnavailable {
  readonly reason: string;
}

/** The side effects so far. */
export interface SideEffectCounts {
  readonly total: number;
  /** Those whose event svc has sent; 0 if the observer returns only a count. */
  readonly own: number;
}

export interface SideEffectCounterOptions {
  readonly readSideEffects: ReadSideEffects;
  /** The IDs of the events that svc has sent so far. */
  readonly sentIds: ReadonlySet<string>;
  /** How long the first side effect of a measurement may take. */
  readonly timeoutMs: number;
  /** Ends all waits. */
  readonly signal: AbortSignal;
}

export class SideEffectCounter {
  readonly #options: SideEffectCounterOptions;
  /** Side effects of other senders do not count, once the observer has returned the ID of an event that svc has sent. */
  #unit: keyof SideEffectCounts = 'total';
  #quietPeriodMs = MIN_QUIET_PERIOD_MS;
  #isStable = false;
  #workMs = Number.POSITIVE_INFINITY;
  readonly #acceptedIds = new Set<string>();
  /** The counts when they were last stable, and the number of events that were accepted since. */
  #stableCounts: SideEffectCounts = { total: 0, own: 0 };
  #missingCount = 0;

  constructor(options: SideEffectCounterOptions) {
    this.#options = options;
  }

  /** Whether no side effect came in the quiet period, and no delivery was sent since. */
  get isStable(): boolean {
    return this.#isStable;
  }

  /** The shortest time between the start of a measurement and its first side effect; infinite before the first measurement. */
  get workMs(): number {
    return this.#workMs;
  }

  /** Call this before a delivery: the count can change. */
  expectChange(): void {
    this.#isStable = false;
  }

  /** Call this when a delivery of an event was accepted: one side effect must come. */
  expectSideEffect(eventId: string): void {
    if (this.#acceptedIds.has(eventId)) return;
    this.#acceptedIds.add(eventId);
    this.#missingCount++;
  }

  /** The number of side effects since `initial`. */
  async countSince(initial: SideEffectCounts): Promise<number> {
    return this.#subtract(this.#toCounts(await this.#options.readSideEffects()), initial);
  }

  /**
   * Runs `action` and counts its side effects.
   * @param expectsSideEffect whether to wait for a side effect (default: always)
   */
  async measure<Result>(
    action: () => Promise<Result>,
    expectsSideEffect: (result: Result) => boolean = () => true,
  ): Promise<Measurement<Result>> {
    const initial = await this.waitUntilStable();
    this.expectChange();
    const startedAt = performance.now();
    const result = await action();
    if (expectsSideEffect(result) && (await this.waitForIncrease(initial))) {
      this.#workMs = Math.min(this.#workMs, performance.now() - startedAt);
    }
    return { result, count: this.#subtract(await this.waitUntilStable(), initial) };
  }

  /** Waits for a side effect after `initial`. @returns false after the timeout. */
  async waitForIncrease(initial: SideEffectCounts): Promise<boolean> {
    const startedAt = performance.now();
    let hasIncreased = false;
    await this.#poll((counts, waitedMs) => {
      hasIncreased = this.#subtract(counts, initial) > 0;
      return hasIncreased || waitedMs > this.#options.timeoutMs;
    });
    if (hasIncreased) {
      this.#quietPeriodMs = Math.max(this.#quietPeriodMs, QUIET_FACTOR * (performance.now() - startedAt));
    }
    return hasIncreased;
  }

  /**
   * Waits until the count has not changed for the quiet period, or for longer while the side effect of an accepted event is missing.
   * Gives up after `limitMs`, or sooner before the first delivery; `isStable` is false then.
   */
  async waitUntilStable(limitMs = Number.POSITIVE_INFINITY): Promise<SideEffectCounts> {
    const maxMs = this.#options.sentIds.size === 0 ? Math.min(limitMs, MAX_INITIAL_WAIT_MS) : limitMs;
    /** The value of `waitedMs` at the latest change. */
    let changedAfterMs = 0;
    let latest: SideEffectCounts | undefined;
    const counts = await this.#poll((current, waitedMs) => {
      if (this.#isStable) return true;
      if (latest !== undefined && this.#subtract(current, latest) !== 0) changedAfterMs = waitedMs;
      latest = current;
      this.#isStable = waitedMs - changedAfterMs >= this.#getWaitMs(current);
      return this.#isStable || waitedMs > maxMs;
    });
    if (this.#isStable) {
      this.#stableCounts = counts;
      this.#missingCount = 0;
    }
    return counts;
  }

  async #poll(isDone: (counts: SideEffectCounts, waitedMs: number) => boolean): Promise<SideEffectCounts> {
    const { readSideEffects, signal } = this.#options;
    return this.#toCounts(
      await pollSideEffects(
        readSideEffects,
        (reading, waitedMs) => isDone(this.#toCounts(reading), waitedMs),
        signal,
      ),
    );
  }

  #toCounts({ count, ids }: SideEffectReading): SideEffectCounts {
    const own = (ids ?? []).filter((id) => this.#options.sentIds.has(id)).length;
    if (own > 0) this.#unit = 'own';
    return { total: count, own };
  }

  #subtract(later: SideEffectCounts, earlier: SideEffectCounts): number {
    return later[this.#unit] - earlier[this.#unit];
  }

  /** How long to wait for the next side effect. */
  #getWaitMs(counts: SideEffectCounts): number {
    const isMissing = this.#subtract(counts, this.#stableCounts) < this.#missingCount;
    const maxIntervalMs = Math.min(MAX_WORK_INTERVAL_MS, this.#options.timeoutMs);
    return isMissing ? Math.max(maxIntervalMs, this.#quietPeriodMs) : this.#quietPeriodMs;
  }
}

/**
 * Tests the count with a valid delivery. The count is usable only if it rises by one. Call this before other deliveries, because
 * they could have late side effects.
 * @param deliver sends the delivery. @returns whether it was accepted
 */
export async function createSideEffectCounter(
  options: SideEffectCounterOptions,
  deliver: () => Promise<boolean>,
): Promise<SideEffectCounter | ObservationUnavailable> {
  const counter = new SideEffectCounter(options);
  const { result: isAccepted, count } = await counter.measure(deliver, (accepted) => accepted);
  if (count === 1) return counter;
  if (!isAccepted) return { reason: 'Your receiver does not accept a valid delivery.' };
  return {
    reason:
      count === 0
        ? `The --observe count did not rise within ${formatDuration(options.timeoutMs)} of a valid delivery. Count the events that your receiver has processed.`
        : `The --observe count rose by ${count} after one valid delivery. It must rise by 1 for each.`,
  };
}
