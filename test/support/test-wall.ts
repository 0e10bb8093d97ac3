import type { WallClock } from '../../src/domain/clock.ts';

/** A wall clock that only moves when a test says so. */
export interface TestWall extends WallClock {
  pass(ms: number): void;
}

export function createTestWall(startedAt = Date.UTC(2026, 10, 20)): TestWall {
  let elapsed = 0;
  return {
    now: () => startedAt + elapsed,
    monotonic: () => elapsed,
    pass(ms) {
      elapsed += ms;
    },
  };
}
