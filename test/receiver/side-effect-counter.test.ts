import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SideEffectCounter } from '../../src/receiver/side-effect-counter.ts';
import { sleep } from './configurable-receiver.ts';
import { useVirtualTime } from './in-process-receiver.ts';

vi.mock('../../src/timers.ts', () => import('../support/fakeable-timers.ts'));

beforeEach(useVirtualTime);
afterEach(() => {
  vi.useRealTimers();
});

/** A counter with a time limit of 8 seconds, and a receiver whose side effects a test causes. */
function start({ hasIds = true } = {}) {
  const ids: string[] = [];
  const read = vi.fn(async () => ({ count: ids.length, ids: hasIds ? [...ids] : null }));
  const counter = new SideEffectCounter(read, 8_000, new AbortController().signal);
  /** Sends an event that is accepted. Each of its side effects comes after one of the times. */
  const deliver = async (id: string, ...times: number[]) => {
    counter.noteSent(id);
    for (const ms of times) setTimeout(() => ids.push(id), ms);
    await sleep(5);
    counter.noteAccepted(id);
  };
  return { counter, ids, read, deliver };
}

describe('SideEffectCounter', () => {
  it.each([true, false])(
    'a measurement counts the side effects of its own time, with IDs: %s',
    async (hasIds) => {
      const { counter, ids, deliver } = start({ hasIds });
      ids.push('evt_earlier');
      expect(await counter.measure(() => deliver('evt_1', 50))).toMatchObject({ count: 1 });
      expect(await counter.measure(() => deliver('evt_2', 50, 60))).toMatchObject({ count: 2 });
      await deliver('evt_3', 400);
      expect(await counter.measure(() => deliver('evt_4'))).toMatchObject({ count: 0 });
    },
  );

  it('side effects of other senders do not count once an ID of an own event was read', async () => {
    const { counter, ids, deliver } = start();
    setTimeout(() => ids.push('evt_other'), 500);
    expect(await counter.measure(() => deliver('evt_1', 300, 700))).toMatchObject({ count: 2 });
  });

  it('a repeat of an accepted event is expected to have no side effect, so it is not awaited for long', async () => {
    const { counter, deliver } = start();
    await counter.measure(() => deliver('evt_1', 10));
    const startedAt = performance.now();
    expect(await counter.measure(() => deliver('evt_1'))).toMatchObject({ count: 0 });
    expect(performance.now() - startedAt).toBeLessThan(300);
  });

  it('a wait says whether a side effect is missing, and reads nothing if nothing was sent since the last one', async () => {
    const { counter, read, deliver } = start();
    await counter.wait();
    await Promise.all([deliver('evt_1', 10), deliver('evt_2')]);
    const startedAt = performance.now();
    expect(await counter.wait()).toEqual({ count: 1, isComplete: false });
    const waitedMs = performance.now() - startedAt;
    expect(waitedMs).toBeGreaterThanOrEqual(5_000);
    expect(waitedMs).toBeLessThan(6_000);
    read.mockClear();
    expect(await counter.wait()).toEqual({ count: 0, isComplete: true });
    expect(read).not.toHaveBeenCalled();
  });

  it('the work time is the shortest one from a delivery to its side effect', async () => {
    const { counter, deliver } = start();
    expect(counter.workMs).toBe(Number.POSITIVE_INFINITY);
    await counter.measure(() => deliver('evt_1', 900));
    await counter.measure(() => deliver('evt_2', 300));
    const { workMs } = counter;
    expect(workMs).toBeGreaterThanOrEqual(300);
    expect(workMs).toBeLessThan(350);
    await counter.measure(() => deliver('evt_3', 600));
    await counter.measure(() => deliver('evt_3'));
    await counter.measure(() => deliver('evt_4'));
    expect(counter.workMs).toBe(workMs);
  });

  it.each([
    [[10], null],
    [[], 'The --observe count did not rise within 8s of a valid delivery.'],
    [[10, 20], 'The --observe count rose by 2 after one valid delivery.'],
  ])(
    'the test of a count with side effects after %j ms says why it cannot be used: %s',
    async (times, reason) => {
      const { counter, deliver } = start();
      const result = await counter.test(async () => {
        await deliver('evt_1', ...times);
        return true;
      });
      if (reason === null) expect(result).toBe(counter);
      else expect(result).toEqual({ reason: expect.stringContaining(reason) });
    },
  );
});
