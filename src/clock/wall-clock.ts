import type { WallClock } from '../domain/clock.ts';
import { monotonic } from '../timers.ts';

/**
 * The clock of the machine. What it shows follows the `Date` of this process, which a test may have set: the code under
 * test reads the time of a signature by the same.
 */
export const systemClock: WallClock = { now: () => Date.now(), monotonic };

/** Shows one instant always, in milliseconds since 1970. What is measured, such as a time limit, stays real. */
export function createPinnedClock(at: number): WallClock {
  return { ...systemClock, now: () => at };
}
