/** The line of the timelines: where it goes, and what it says. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { toPosition } from '../../src/domain/timeline-scale.ts';
import { loadPage } from './fake-browser.ts';

type Modules = typeof import('../../src/dashboard/views/timeline/line.ts') &
  Pick<typeof import('../../src/dashboard/views/delivery/delivery-timeline.tsx'), 'toMarks'>;
let modules: Modules;

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'performance'] });
  await loadPage();
  const { changeSettings } = await import('../../src/dashboard/settings.ts');
  changeSettings({ zone: 'utc' });
  modules = {
    ...(await import('../../src/dashboard/views/timeline/line.ts')),
    ...(await import('../../src/dashboard/views/delivery/delivery-timeline.tsx')),
  };
});
afterEach(() => modules.resetLine());
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const NOON = Date.parse('2026-11-20T12:00:00.000Z');
const MINUTE = 60_000;
const toIso = (at: number) => new Date(at).toISOString();

function createMark(webhook_id: string, first: number, last: number, due: number) {
  const times = { first_at: toIso(NOON + first), last_at: toIso(NOON + last) };
  return { webhook_id, ...times, deliveries: 1, succeeded: 0, failed: due === 0 ? 1 : 0, due, due_first: 0 };
}

const schedule = {
  workspace_id: 'ws_a',
  at: toIso(NOON),
  marks: [
    createMark('wh_a', -MINUTE, -MINUTE, 0),
    createMark('wh_a', 35 * MINUTE, 35 * MINUTE + 800, 5),
    createMark('wh_b', 35 * MINUTE - 900, 35 * MINUTE, 5),
    createMark('wh_b', 300 * MINUTE, 300 * MINUTE, 1),
  ],
};

describe('the line of the timelines', () => {
  it('describeMove counts the retries that are due until a time, and their endpoints', () => {
    const describe = (ms: number) => {
      const { count, rest } = modules.describeMove(schedule, NOON + ms);
      return `${count}${rest}`;
    };
    expect(describe(35 * MINUTE + 800)).toBe('10 retries to 2 endpoints, until 12:35 (+35 min)');
    expect(describe(35 * MINUTE)).toBe('at least 6 retries to 2 endpoints, until 12:35 (+35 min)');
    expect(describe(5 * MINUTE)).toBe('0 retries, until 12:05 (+5 min)');
    expect(describe(24 * 60 * MINUTE)).toBe('at least 11 retries to 2 endpoints, until Nov 21, 12:00 (+1 d)');
  });

  it('describeMove calls retries attempts if some are the first of their delivery', () => {
    const marks = schedule.marks.map((mark) => ({ ...mark, due_first: mark.due === 1 ? 1 : 0 }));
    const { count } = modules.describeMove({ ...schedule, marks }, NOON + 300 * MINUTE);
    expect(count).toBe('at least 11 attempts');
  });

  it('describeMove counts one of the retries if the line is between those of a mark', () => {
    const { count } = modules.describeMove(schedule, NOON + 35 * MINUTE + 400);
    expect(count).toBe('at least 6 retries');
  });

  it('the duration is that from the current time, and the line returns when the clock passes it', async () => {
    const { selectedClock } = await import('../../src/dashboard/schedule-clock.ts');
    const setNow = (ms: number) =>
      selectedClock.value.set({
        ...{ workspace_id: 'ws_a', speed: 0, next_due_at: null },
        ...{ now: toIso(NOON + ms), wall: toIso(NOON + ms) },
      });
    modules.moveLine(schedule, NOON + 300 * MINUTE);
    setNow(200 * MINUTE + 400);
    expect(modules.describeMove(schedule, NOON + 300 * MINUTE)).toMatchObject({
      count: '1 retry',
      duration: '1 h 40 min',
    });
    setNow(300 * MINUTE - 20_000);
    expect(modules.describeMove(schedule, NOON + 300 * MINUTE).duration).toBe('20 s');
    expect(modules.line.value).not.toBeNull();
    setNow(300 * MINUTE);
    expect(modules.line.value).toBeNull();
    setNow(0);
  });

  it('the line stops at the marks that are drawn, but describeMove counts all', () => {
    const drawn = { ...schedule, drawn: schedule.marks.slice(0, 2) };
    expect(modules.listStops(drawn)).toEqual([{ first: NOON + 35 * MINUTE, last: NOON + 35 * MINUTE + 800 }]);
    expect(modules.skipMark(drawn, NOON + 35 * MINUTE)).toBe(NOON + 35 * MINUTE + 800);
    expect(modules.skipMark(drawn, NOON + 36 * MINUTE)).toBe(NOON + 36 * MINUTE);
    expect(modules.describeMove(drawn, NOON + 300 * MINUTE).count).toBe('at least 11 retries');
  });

  it('attempts of several endpoints that are due at about the same time are one stop', () => {
    expect(modules.listStops(schedule)).toEqual([
      { first: NOON + 35 * MINUTE - 900, last: NOON + 35 * MINUTE + 800 },
      { first: NOON + 300 * MINUTE, last: NOON + 300 * MINUTE },
    ]);
  });

  it('the line does not stop between attempts with one mark, and not in the past', () => {
    modules.moveLine(schedule, NOON + 35 * MINUTE);
    expect(modules.line.value).toEqual({ origin: NOON, target: NOON + 35 * MINUTE + 800, isMoving: false });
    modules.moveLine(schedule, NOON - MINUTE);
    expect(modules.line.value).toBeNull();
  });

  it('the line goes to an attempt or a tick that is close, and otherwise to a round time', () => {
    const targetAt = (ms: number) => (modules.toTarget(schedule, toPosition(ms), 0.02) - NOON) / MINUTE;
    expect(targetAt(36 * MINUTE)).toBeCloseTo(35, 1);
    expect(targetAt(31 * MINUTE)).toBe(30);
    expect(targetAt(15.4 * MINUTE)).toBe(15);
    expect(targetAt(200 * MINUTE)).toBe(200);
  });
});

it('toMarks groups the attempts of a delivery, and separates the next retry from later ones', () => {
  const attempts = [-35, -34, -34].map((minutes, index) => ({
    scheduled_at: toIso(NOON + minutes * MINUTE),
    outcome: index === 2 ? 'succeeded' : 'http_error',
  }));
  const dueTimes = [5, 125].map((minutes) => toIso(NOON + minutes * MINUTE));
  const marks = modules.toMarks({ attempts: attempts as never, due_times: dueTimes }, NOON);
  expect(marks).toMatchObject([
    { first_at: attempts[0]?.scheduled_at, deliveries: 3, succeeded: 1, failed: 2, due: 0, isLater: false },
    { last_at: dueTimes[0], due: 1, isLater: false },
    { last_at: dueTimes[1], due: 1, isLater: true },
  ]);
});
