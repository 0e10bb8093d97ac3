import type { WallClock } from '../domain/clock.ts';

/** The clock of the machine. */
export const systemClock: WallClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
