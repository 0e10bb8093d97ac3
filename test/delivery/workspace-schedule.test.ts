import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { EndpointQueue } from '../../src/delivery/endpoint-queue.ts';
import { DueTimes, EarliestTimer, WorkspaceSchedule } from '../../src/delivery/workspace-schedule.ts';
import type { LoadedWorkspace } from '../../src/sandbox/workspace-registry.ts';

vi.mock('../../src/timers.ts', () => import('../support/fakeable-timers.ts'));

const NEVER = Number.POSITIVE_INFINITY;

function createQueue(webhookSeq: number, nextDueAt = NEVER, hasDue = false): EndpointQueue {
  return { webhookSeq, nextDueAt, hasDue: () => hasDue } as EndpointQueue;
}

describe('DueTimes', () => {
  const [first, second, third, fourth] = [createQueue(1), createQueue(2), createQueue(3), createQueue(4)];

  it('DueTimes takes the queues that are due, the earliest and older ones first, each once', () => {
    const times = new DueTimes();
    for (const [queue, dueAt] of [
      [third, 20],
      [second, 20],
      [fourth, 21],
      [first, 30],
      [first, 10],
    ] as const) {
      times.set(queue, dueAt);
    }
    expect(times.earliest).toBe(10);
    expect(times.takeDue(9)).toEqual([]);
    expect(times.takeDue(20)).toEqual([first, second, third]);
    expect([times.takeDue(20), times.earliest]).toEqual([[], 21]);
  });

  it('DueTimes has no queue that was deleted or is never due', () => {
    const times = new DueTimes();
    times.set(first, 10);
    times.set(second, 10);
    times.delete(first);
    times.set(second, NEVER);
    expect([times.earliest, times.takeDue(10)]).toEqual([NEVER, []]);
  });
});

describe('WorkspaceSchedule', () => {
  const NOW = 1_000;
  const createSchedule = (change: (schedule: WorkspaceSchedule) => void) => {
    const schedule = new WorkspaceSchedule({ now: () => NOW } as LoadedWorkspace['clock']);
    change(schedule);
    return schedule;
  };

  it.each<[string, boolean, (schedule: WorkspaceSchedule) => void]>([
    ['nothing is scheduled', true, () => {}],
    ['a delivery is due later', true, ({ dueTimes }) => dueTimes.set(createQueue(1), NOW + 1)],
    ['a delivery is due now', false, ({ dueTimes }) => dueTimes.set(createQueue(1), NOW)],
    ['a paused delivery expires later', true, ({ expiryTimes }) => expiryTimes.set(createQueue(1), NOW + 1)],
    ['a paused delivery expires now', false, ({ expiryTimes }) => expiryTimes.set(createQueue(1), NOW)],
    [
      'a ready queue has a due delivery',
      false,
      ({ readyQueues }) => readyQueues.add(createQueue(1, NOW, true)),
    ],
    ['a ready queue was disabled meanwhile', true, ({ readyQueues }) => readyQueues.add(createQueue(1))],
    ['an attempt is unfinished', false, (schedule) => schedule.unfinished++],
    ['paused deliveries are being expired', false, (schedule) => schedule.expiringCount++],
  ])('while %s, isIdle of a workspace is %s', (_, isIdle, change) => {
    expect(createSchedule(change).isIdle).toBe(isIdle);
  });

  it.each([
    ['of the queues that wait', [NOW + 3, NOW + 2], [], NOW + 2],
    ['of the ready queues', [NOW + 3], [NOW + 4, NOW + 1], NOW + 1],
    ['of all queues', [NOW + 3], [NOW + 4], NOW + 3],
    ['before all others if a delivery is due', [NOW + 3], [NOW + 4, -NEVER, NOW + 1], -NEVER],
    ['never without queues', [], [], NEVER],
  ])('the next due time of a workspace is the earliest one: %s', (_, waiting, ready, expected) => {
    const schedule = createSchedule(({ dueTimes, readyQueues }) => {
      for (const [seq, at] of waiting.entries()) dueTimes.set(createQueue(seq), at);
      for (const [seq, at] of ready.entries()) readyQueues.add(createQueue(10 + seq, at));
    });
    expect(schedule.nextDueAt).toBe(expected);
  });
});

describe('EarliestTimer', () => {
  function startTimer() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const startedAt = performance.now();
    const monotonic = () => performance.now() - startedAt;
    const firedAt: number[] = [];
    const timer = new EarliestTimer({ monotonic }, () => {
      timer.clear();
      firedAt.push(monotonic());
    });
    return { timer, firedAt };
  }

  it('EarliestTimer fires once, at the earliest of the times', () => {
    const { timer, firedAt } = startTimer();
    for (const ms of [300, 100, 200, NEVER]) timer.set(ms);
    vi.advanceTimersByTime(1_000);
    expect(firedAt).toEqual([100]);
  });

  it('EarliestTimer sets no timer for Infinity', () => {
    const { timer } = startTimer();
    timer.set(NEVER);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('EarliestTimer compares times that were set at different times', () => {
    const { timer, firedAt } = startTimer();
    timer.set(100);
    vi.advanceTimersByTime(50);
    timer.set(80);
    timer.set(40);
    vi.advanceTimersByTime(1_000);
    expect(firedAt).toEqual([90]);
  });

  it('EarliestTimer does not fire early for a fraction of a millisecond', () => {
    const { timer, firedAt } = startTimer();
    timer.set(10.2);
    vi.advanceTimersByTime(1_000);
    expect(firedAt).toEqual([11]);
  });

  it('EarliestTimer does not fire after it was cleared', () => {
    const { timer, firedAt } = startTimer();
    timer.set(10);
    timer.clear();
    vi.advanceTimersByTime(1_000);
    expect(firedAt).toEqual([]);
  });

  it('EarliestTimer can be set to a later time after it was cleared, and does not fire at the earlier one', () => {
    const { timer, firedAt } = startTimer();
    timer.set(10);
    timer.clear();
    timer.set(20);
    vi.advanceTimersByTime(1_000);
    expect(firedAt).toEqual([20]);
  });

  it('EarliestTimer fires after 24 days for a time that is further away than a timer can wait', () => {
    const { timer, firedAt } = startTimer();
    timer.set(2 ** 40);
    vi.advanceTimersByTime(2 ** 31 - 2);
    expect(firedAt).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(firedAt).toEqual([2 ** 31 - 1]);
  });
});
