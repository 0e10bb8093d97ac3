import { describe, expect, it } from 'vitest';
import {
  computeScheduleTime,
  extrapolateScheduleTime,
  getCurrentSpeed,
  LAST_TIME,
  resumeAfterDowntime,
} from '../../src/domain/clock.ts';

const HOUR = 3_600_000;
const AT = Date.UTC(2026, 10, 20);

describe('schedule time', () => {
  it.each([
    ['in real time at speed 1', { speed: 1, frozen: false }, 1],
    ['faster at a speed above 1', { speed: 3_600, frozen: false }, 3_600],
    ['slower at a speed below 1', { speed: 0.5, frozen: false }, 0.5],
    ['not at all while frozen, whatever the speed', { speed: 60, frozen: true }, 0],
  ])('schedule time passes %s', (_, pace, speed) => {
    expect(getCurrentSpeed(pace)).toBe(speed);
    expect(computeScheduleTime({ at: AT, ...pace }, 1_000)).toBe(AT + 1_000 * speed);
  });

  it('schedule time is in whole milliseconds and never before its anchor', () => {
    expect(computeScheduleTime({ at: AT, speed: 1, frozen: false }, 1.999)).toBe(AT + 1);
    expect(computeScheduleTime({ at: AT, speed: 1, frozen: false }, -5)).toBe(AT);
  });
});

describe('the end of schedule time', () => {
  it('schedule time stops at the start of the year 9999', () => {
    const end = Date.UTC(9999, 0, 1);
    const clock = { at: end - 1_000, speed: 60, frozen: false };
    expect(computeScheduleTime(clock, 16)).toBe(end - 40);
    expect(computeScheduleTime(clock, 17)).toBe(end);
    expect(computeScheduleTime(clock, HOUR)).toBe(end);
  });

  it('the last time is the last one with a year of four digits', () => {
    expect([LAST_TIME, LAST_TIME + 1].map((ms) => new Date(ms).toISOString())).toEqual([
      '9999-12-31T23:59:59.999Z',
      '+010000-01-01T00:00:00.000Z',
    ]);
  });
});

it('extrapolateScheduleTime adds the elapsed time at the speed of the clock, but never goes back', () => {
  const now = new Date(AT).toISOString();
  expect(extrapolateScheduleTime({ now, speed: 60 }, 500)).toBe(AT + 30_000);
  expect(extrapolateScheduleTime({ now, speed: 0 }, 500)).toBe(AT);
  expect(extrapolateScheduleTime({ now, speed: 60 }, -500)).toBe(AT);
});

describe('resumeAfterDowntime', () => {
  const state = { at: AT, wallAt: AT + 7 * HOUR, speed: 1, frozen: false };

  it('a running clock advances by the real time of the downtime', () => {
    expect(resumeAfterDowntime(state, state.wallAt + HOUR)).toEqual({
      ...state,
      at: AT + HOUR,
      wallAt: state.wallAt + HOUR,
    });
  });

  it('a fast clock advances by the real time of the downtime, whatever its speed', () => {
    const resumed = resumeAfterDowntime({ ...state, speed: 3_600 }, state.wallAt + HOUR);
    expect(resumed).toMatchObject({ at: AT + HOUR, speed: 3_600 });
  });

  it('a frozen clock does not advance', () => {
    const resumed = resumeAfterDowntime({ ...state, frozen: true }, state.wallAt + HOUR);
    expect(resumed).toMatchObject({ at: AT, wallAt: state.wallAt + HOUR, frozen: true });
  });

  it('a clock does not move when the wall clock was set back', () => {
    expect(resumeAfterDowntime(state, state.wallAt - 72 * HOUR)).toMatchObject({ at: AT });
  });
});
