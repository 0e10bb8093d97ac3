/** The wall clock: the only module that calls Date.now. */
import type { WallClock } from '../domain/clock.ts';
import { monotonic } from './timers.ts';

/**
 * The clock of the machine. It follows the `Date` of this process even if a test has replaced it, because the code under
 * test checks signature timestamps against the same `Date`.
 */
export const systemClock: WallClock = { now: () => Date.now(), monotonic };
