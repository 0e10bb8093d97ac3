import type { WallClock } from '../domain/clock.ts';

// As it is at load, like the timers: a test runner may put another in its place.
const monotonic = performance.now.bind(performance);

/**
 * The clock of the machine. What it shows follows the `Date` of this process, which a test may have set: the code under
 * test reads the time of a signature by the same.
 */
export const systemClock: WallClock = { now: () => Date.now(), monotonic };

/** Shows one instant always, in milliseconds since 1970. What is measured, such as a time limit, stays real. */
export function pinClock(at: number): WallClock {
  return { ...systemClock, now: () => at };
}
