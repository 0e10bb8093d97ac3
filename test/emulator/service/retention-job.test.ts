import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/domain/duration.ts';
import type { RetentionLimits } from '../../../src/domain/retention-limits.ts';
import { startRetentionJob } from '../../../src/emulator/service/retention-job.ts';
import { insertApiKey, insertRequest } from '../../store/rows.ts';
import { useFakeTimers } from '../../support/fake-timers.ts';
import { runEventLoop } from '../deliveries/dispatcher-setup.ts';
import { openSandbox } from './open-sandbox.ts';

beforeEach(() => {
  useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});

const NO_LIMITS: RetentionLimits = { days: null, megabytes: null };

/** A sandbox with logged requests of the last five days, one for each day, oldest first. */
function open(limits: Partial<RetentionLimits> = {}) {
  const { sandbox } = openSandbox();
  const { store, wall, bus } = sandbox;
  const requests = store.writeNow(() => {
    const key = insertApiKey(store);
    return [5, 4, 3, 2, 1].map((days) => insertRequest(store, wall.now() - days * DAY_MS, key));
  });
  const errors: unknown[] = [];
  return {
    ...{ store, wall, bus, requests, errors },
    /** Starts the job, and stops it at the end of the test. */
    start() {
      const stop = startRetentionJob(sandbox, { ...NO_LIMITS, ...limits }, (error) => errors.push(error));
      onTestFinished(stop);
      return stop;
    },
    /** How many of the newest requests are left; the others are deleted. */
    countKept() {
      const left = requests.filter((seq) => store.apiRequests.findBySeq(seq) !== undefined);
      expect(left).toEqual(requests.slice(requests.length - left.length));
      return left.length;
    },
    async pass(ms: number) {
      wall.advance(ms);
      vi.advanceTimersByTime(HOUR_MS);
      await runEventLoop(20);
    },
  };
}

describe('the retention job', () => {
  it.each<[string, Partial<RetentionLimits>, number]>([
    ['no limits', {}, 5],
    ['two and a half days', { days: 2.5 }, 2],
    ['no space', { megabytes: 0 }, 0],
    ['much space', { megabytes: 1 }, 5],
  ])('with %s, it keeps only the newest rows at the start', async (_, limits, kept) => {
    const { start, countKept } = open(limits);
    start();
    await runEventLoop(20);
    expect(countKept()).toBe(kept);
  });

  it('rows that become old are deleted within an hour', async () => {
    const { start, countKept, pass } = open({ days: 10 });
    start();
    await runEventLoop(20);
    expect(countKept()).toBe(5);
    await pass(8 * DAY_MS);
    expect(countKept()).toBe(2);
  });

  it('the limits are checked again after 16 MB of new rows, and not before', async () => {
    const { start, countKept, store } = open({ days: 2.5 });
    let used = 100;
    vi.spyOn(store.retention, 'getUsedSize').mockImplementation(() => used);
    start();
    await runEventLoop(20);
    expect(countKept()).toBe(2);
    const removal = vi.spyOn(store.retention, 'planRemoval');
    used += 16 * 2 ** 20 - 1;
    await store.write(() => {});
    expect(removal).not.toHaveBeenCalled();
    used += 1;
    await Promise.all([store.write(() => {}), store.write(() => {})]);
    await runEventLoop(20);
    await store.write(() => {});
    expect(removal).toHaveBeenCalledTimes(1);
  });

  it('no sequence is used again after the newest rows were deleted', async () => {
    const { start, store } = open({ megabytes: 0 });
    const { lastSeq } = store;
    start();
    await runEventLoop(20);
    expect(store.settings.find('last_seq')).toBe(String(lastSeq));
  });

  it('nothing is deleted after the job was stopped, even during a removal', async () => {
    const { start, pass, store } = open();
    const steps = [1, 2, 3].map(() => vi.fn());
    const plan = vi.spyOn(store.retention, 'planRemoval').mockReturnValue(yieldAll(steps));
    const stop = start();
    stop();
    await runEventLoop(20);
    // The first step was being written.
    expect(steps.map(({ mock }) => mock.calls.length)).toEqual([1, 0, 0]);
    await pass(HOUR_MS);
    await store.write(() => {});
    expect(plan).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('an error is reported unless the job was stopped or the file is lost', async () => {
    const { start, pass, store, errors } = open({ days: 3.5 });
    const error = new Error('disk on fire');
    vi.spyOn(store, 'write').mockRejectedValue(error);
    const stop = start();
    await runEventLoop(20);
    expect(errors).toEqual([error]);
    const problem = vi.spyOn(store, 'fileProblem', 'get').mockReturnValue('removed');
    await pass(HOUR_MS);
    expect(errors).toEqual([error]);
    problem.mockReturnValue(null);
    vi.advanceTimersByTime(HOUR_MS);
    stop();
    await runEventLoop(20);
    expect(errors).toEqual([error]);
  });

  it('the timer does not keep the process alive', () => {
    const started = vi.spyOn(globalThis, 'setInterval');
    open().start();
    expect(started.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
  });
});

function* yieldAll<Item>(items: readonly Item[]): Generator<Item> {
  yield* items;
}
