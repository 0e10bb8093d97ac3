import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/domain/duration.ts';
import type { RetentionLimits } from '../../src/domain/retention-limits.ts';
import { startRetentionJob } from '../../src/sandbox/retention-job.ts';
import { runEventLoop } from '../delivery/dispatcher-setup.ts';
import { insertApiKey, insertRequest } from '../store/rows.ts';
import { openSandbox } from './open-sandbox.ts';

vi.mock('../../src/timers.ts', () => import('../support/fakeable-timers.ts'));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
});

const NO_LIMITS: RetentionLimits = { days: null, requests: null, megabytes: null };

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
    // The newest old request stays as the mark of the age of other rows.
    ['two and a half days', { days: 2.5 }, 3],
    ['three requests', { requests: 3 }, 3],
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
    expect(countKept()).toBe(3);
  });

  it('the age of the rows is recorded every hour', async () => {
    const { start, pass, store, wall } = open();
    start();
    await pass(HOUR_MS);
    expect(JSON.parse(store.settings.find('age_marks') ?? '')).toEqual([
      { seq: store.lastSeq, at: wall.now() },
    ]);
  });

  it('nothing is deleted after the job was stopped, even during a removal', async () => {
    const { start, pass, countKept } = open({ requests: 3 });
    const stop = start();
    stop();
    await runEventLoop(20);
    // The step that was being written is the deletion of headers and bodies.
    expect(countKept()).toBe(5);
    await pass(HOUR_MS);
    expect(countKept()).toBe(5);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('an error is reported unless the job was stopped or the file is lost', async () => {
    const { start, pass, store, errors } = open({ requests: 3 });
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

  it('the limits are applied one after the other, after the age was recorded', async () => {
    const { start, pass, store, wall } = open({ days: 2, requests: 3, megabytes: 4 });
    const order: string[] = [];
    /** A plan with one step. */
    const plan = (name: string) =>
      function* (...values: number[]) {
        order.push([name, ...values].join(' '));
        yield () => order.push(`${name} done`);
      };
    const { retention } = store;
    vi.spyOn(retention, 'recordAge').mockImplementation(() => order.push('age'));
    vi.spyOn(retention, 'planRemovalBefore').mockImplementation(plan('days'));
    vi.spyOn(retention, 'planRemovalBeyond').mockImplementation(plan('requests'));
    vi.spyOn(retention, 'planMessageRemoval').mockImplementation(plan('messages'));
    vi.spyOn(retention, 'planRemovalToFit').mockImplementation(plan('space'));
    start();
    await runEventLoop(20);
    const removal = [
      ...[`days ${wall.now() - 2 * DAY_MS}`, 'days done', 'requests 3', 'requests done'],
      ...['messages', 'messages done', `space ${4 * 1024 * 1024} ${store.lastSeq}`, 'space done'],
    ];
    expect(order.splice(0)).toEqual(removal);
    await pass(0);
    expect(order).toEqual(['age', ...removal]);
  });

  it('an error of the hourly removal is reported', async () => {
    const { start, pass, store, errors } = open({ requests: 3 });
    start();
    await runEventLoop(20);
    const failures = [new Error('the first write'), new Error('the removal')];
    vi.spyOn(store, 'write').mockRejectedValueOnce(failures[0]);
    await pass(HOUR_MS);
    expect(errors).toEqual(failures.slice(0, 1));
    vi.spyOn(store.retention, 'planMessageRemoval').mockImplementationOnce(() => {
      throw failures[1];
    });
    await pass(HOUR_MS);
    expect(errors).toEqual(failures);
  });

  it('the timer does not keep the process alive', () => {
    const started = vi.spyOn(globalThis, 'setInterval');
    open().start();
    expect(started.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
  });
});
