import type { WallClock } from '../../src/domain/clock.ts';

/** A wall clock that moves only when a test advances it. */
export interface TestWallClock extends WallClock {
  advance(ms: number): void;
}

export function createTestWallClock(startedAt = Date.UTC(2026, 10, 20)): TestWallClock {
  let elapsed = 0;
  return {
    now: () => startedAt + elapsed,
    monotonic: () => elapsed,
    advance(ms) {
      elapsed += ms;
    },
  };
}
