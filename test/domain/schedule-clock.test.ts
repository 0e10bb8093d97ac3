import { describe, expect, it } from 'vitest';
import { LAST_SCHEDULE_TIME } from '../../src/domain/clock.ts';
import { ScheduleClock } from '../../src/domain/schedule-clock.ts';
import { systemClock } from '../../src/platform/wall-clock.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 2, 28, 12);

/** A machine whose two times a test moves. */
function createMachine() {
  let wallNow = START;
  let monotonicNow = 5_000;
  return {
    wall: { now: () => wallNow, monotonic: () => monotonicNow },
    /** Real time passes. */
    pass(ms: number) {
      wallNow += ms;
      monotonicNow += ms;
    },
    /** Somebody sets the clock. */
    setWall(ms: number) {
      wallNow += ms;
    },
  };
}

function startClock(pace: { speed?: number; frozen?: boolean } = {}) {
  const machine = createMachine();
  const state = { at: START, wallAt: START, speed: 1, frozen: false, ...pace };
  return { ...machine, clock: new ScheduleClock(machine.wall, state) };
}

describe('ScheduleClock', () => {
  it.each([1, 60, 3_600, 0.25])('the clock runs at speed %d', (speed) => {
    const { clock, pass } = startClock({ speed });
    pass(8_000);
    expect(clock.now()).toBe(START + 8_000 * speed);
    expect(clock.currentSpeed).toBe(speed);
  });

  it('the 72 hours of the retry schedule take 72 real seconds at speed 3600', () => {
    const { clock } = startClock({ speed: 3_600 });
    expect(clock.realMsUntil(START + 72 * HOUR)).toBe(72_000);
  });

  it('the clock continues from its current time when the speed changes', () => {
    const { clock, pass } = startClock();
    pass(1_000);
    clock.set({ speed: 100 });
    expect(clock.now()).toBe(START + 1_000);
    pass(10);
    expect(clock.now()).toBe(START + 2_000);
  });

  it('the real time since a schedule time follows the speed, and counts from the last change of the clock', () => {
    const { clock, pass } = startClock({ speed: 60 });
    pass(2_000);
    expect(clock.realMsSince(START + 60_000)).toBe(1_000);
    expect(clock.realMsSince(START - HOUR)).toBe(2_000);
    expect(clock.realMsSince(START + HOUR)).toBe(0);
    clock.moveTo(START + HOUR);
    pass(500);
    expect(clock.realMsSince(START + 60_000)).toBe(500);
    clock.set({ frozen: true });
    pass(300);
    expect(clock.realMsSince(clock.now())).toBe(300);
  });

  it('a frozen clock stands still and then continues at its former speed', () => {
    const { clock, pass } = startClock({ speed: 10 });
    pass(100);
    clock.set({ frozen: true });
    pass(HOUR);
    expect(clock.now()).toBe(START + 1_000);
    expect(clock).toMatchObject({ currentSpeed: 0, speed: 10, frozen: true });
    clock.set({ frozen: false });
    pass(1);
    expect(clock.now()).toBe(START + 1_010);
  });

  it('the clock jumps forward and never back', () => {
    const { clock, pass } = startClock({ frozen: true });
    clock.moveTo(START + HOUR);
    expect(clock.now()).toBe(START + HOUR);
    clock.moveTo(START);
    expect(clock.now()).toBe(START + HOUR);
    clock.set({ frozen: false });
    pass(5);
    expect(clock.now()).toBe(START + HOUR + 5);
  });

  it.each([72 * HOUR, -72 * HOUR])(
    'the clock is not affected when the wall clock is set by %d ms',
    (jump) => {
      const { clock, pass, setWall } = startClock();
      pass(1_000);
      setWall(jump);
      pass(1_000);
      expect(clock.now()).toBe(START + 2_000);
      expect(clock.realMsUntil(START + HOUR)).toBe(HOUR - 2_000);
    },
  );

  it.each([
    ['the night on which summer time begins', Date.UTC(2026, 2, 29, 0, 30)],
    ['the night on which it ends', Date.UTC(2026, 9, 25, 0, 30)],
    ['the 29th of February', Date.UTC(2028, 1, 28, 23, 30)],
    ['a leap second', Date.UTC(2016, 11, 31, 23, 30)],
  ])('every hour has the same length on %s', (_, at) => {
    const { wall, pass } = createMachine();
    const clock = new ScheduleClock(wall, { at, wallAt: START, speed: 1, frozen: false });
    for (let hour = 1; hour <= 3; hour++) {
      pass(HOUR);
      expect(clock.now()).toBe(at + hour * HOUR);
    }
  });

  it('realMsUntil is 0 for a past time, and infinite while the clock is frozen and after its last time', () => {
    const { clock } = startClock({ frozen: true });
    expect(clock.realMsUntil(START)).toBe(0);
    expect(clock.realMsUntil(START - HOUR)).toBe(0);
    expect(clock.realMsUntil(START + 1)).toBe(Number.POSITIVE_INFINITY);
    const { clock: running } = startClock();
    expect(running.realMsUntil(LAST_SCHEDULE_TIME)).toBe(LAST_SCHEDULE_TIME - START);
    for (const at of [LAST_SCHEDULE_TIME + 1, Number.POSITIVE_INFINITY])
      expect(running.realMsUntil(at)).toBe(Number.POSITIVE_INFINITY);
  });

  it('the clock continues after a restart, and downtime counts at speed 1', () => {
    const { clock, wall, pass } = startClock({ speed: 10 });
    pass(1_000);
    const kept = clock.getState();
    pass(HOUR);
    const resumed = new ScheduleClock(wall, kept);
    expect(resumed.now()).toBe(START + 10_000 + HOUR);
    pass(1);
    expect(resumed.now()).toBe(START + 10_000 + HOUR + 10);
  });

  it('the clock stays frozen over a restart', () => {
    const { clock, wall, pass } = startClock({ frozen: true });
    pass(HOUR);
    expect(new ScheduleClock(wall, clock.getState()).now()).toBe(START);
  });
});

it('the wall clock shows the time of the machine', () => {
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1_000);
  const before = systemClock.monotonic();
  expect(systemClock.monotonic()).toBeGreaterThanOrEqual(before);
});
