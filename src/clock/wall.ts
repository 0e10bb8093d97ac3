import type { WallClock } from '../domain/clock.ts';

/** The clock of the machine. */
export const systemClock: WallClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** Shows one instant always, in milliseconds since 1970. What is measured, such as a time limit, stays real. */
export function pinClock(at: number): WallClock {
  return { ...systemClock, now: () => at };
}
