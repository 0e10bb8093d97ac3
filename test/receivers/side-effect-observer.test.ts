/** The waits for side effects, in virtual time. */
import { beforeEach, describe, expect, it } from 'vitest';
import { SideEffectObserver } from '../../src/receivers/side-effect-observer.ts';
import { useVirtualTime } from './in-process-receiver.ts';

const { signal } = new AbortController();
const expectOne = (id: string) => new Map([[id, 1]]);

/** An observer of side effects that a test causes after some time. */
function start({ hasIds = true } = {}) {
  const ids: string[] = [];
  const observer = new SideEffectObserver(
    async () => ({ count: ids.length, ids: hasIds ? [...ids] : null }),
    signal,
  );
  const cause = (id: string, ...times: number[]) => {
    for (const ms of times) setTimeout(() => ids.push(id), ms);
  };
  return { observer, ids, cause };
}

describe('SideEffectObserver', () => {
  beforeEach(useVirtualTime);

  const repeat = (intervalMs: number, count: number) =>
    Array.from({ length: count }, (_, index) => intervalMs * (index + 1));

  it.each<[string, readonly number[], number, number]>([
    ['all side effects of a worker that needs most of the time limit for each', repeat(900, 3), 3, 3],
    ['no side effect that comes later than the time limit', [900, 2_000], 2, 1],
    ['additional side effects that follow each other', repeat(40, 5), 1, 5],
    [
      'an additional side effect of a worker that needs as long for it as for the first',
      repeat(600, 2),
      1,
      2,
    ],
    ['the side effects of other senders for at most the time limit', repeat(50, 1_000), 1, 24],
  ])('a wait for side effects counts %s', async (_, times, expectedCount, count) => {
    const startedAt = performance.now();
    const read = async () => {
      const elapsedMs = performance.now() - startedAt;
      return { count: times.filter((ms) => ms <= elapsedMs).length, ids: null };
    };
    const observer = new SideEffectObserver(read, new AbortController().signal);
    const events = Array.from({ length: expectedCount }, (_, index) => `evt_${index}`);
    const expected = new Map(events.map((id) => [id, 1]));
    expect(await observer.wait(expected, 1_000)).toEqual({ count, countsById: null });
  });

  it('side effects of other senders do not count once the ID of an own event was read', async () => {
    const { observer, cause } = start();
    await observer.begin(8_000);
    cause('evt_1', 300, 700);
    cause('evt_other', 500);
    const countsById = new Map([['evt_1', 2]]);
    expect(await observer.wait(expectOne('evt_1'), 8_000)).toEqual({ count: 2, countsById });
  });

  it('side effects that were postponed are awaited before the next ones, and do not count for them', async () => {
    const { observer, cause } = start({ hasIds: false });
    await observer.begin(8_000);
    cause('evt_1', 400);
    observer.postpone(expectOne('evt_1'));
    await observer.begin(8_000);
    cause('evt_2', 50);
    expect(await observer.wait(expectOne('evt_2'), 8_000)).toEqual({ count: 1, countsById: null });
  });

  it('a wait for a receiver that works on one event after the other ends after 30 seconds, and so does the next', async () => {
    const { observer, cause } = start();
    const events = Array.from({ length: 70 }, (_, index) => `evt_${index}`);
    for (const [index, id] of events.entries()) cause(id, 1_000 * (index + 1));
    const startedAt = performance.now();
    const expected = new Map(events.map((id) => [id, 1]));
    expect(await observer.wait(expected, 5_000)).toBeNull();
    expect(performance.now() - startedAt).toBeLessThan(31_000);
    expect(await observer.begin(5_000)).toBe(false);
    expect(await observer.begin(5_000)).toBe(true);
  });

  it('the first three waits decide how long later waits are quiet', async () => {
    const { observer, cause } = start();
    for (const [index, ms] of [50, 300, 200, 2_000].entries()) {
      cause(`evt_${index}`, ms);
      await observer.wait(expectOne(`evt_${index}`), 8_000);
    }
    expect(observer.slowestMs).toBeGreaterThanOrEqual(300);
    expect(observer.slowestMs).toBeLessThan(350);
  });
});

const PAUSE_MS = 300;

it('the wait for a missing side effect does not count the time in which the process was paused', async () => {
  let reads = 0;
  const observer = new SideEffectObserver(async () => {
    if (++reads === 2) setImmediate(pauseProcess);
    const ids = reads < 4 ? [] : ['evt_1'];
    return { count: ids.length, ids };
  }, signal);
  expect(await observer.wait(expectOne('evt_1'), PAUSE_MS)).toEqual({
    count: 1,
    countsById: new Map([['evt_1', 1]]),
  });
});

/** Blocks the event loop, as a busy machine or SIGSTOP does. */
function pauseProcess(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}
