import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { mapAtRate } from '../../src/platform/map-at-rate.ts';

const never = new AbortController().signal;
const runEventLoop = () => new Promise((resolve) => setImmediate(resolve));
const unlimited = Number.POSITIVE_INFINITY;

describe('calls at a limited rate', () => {
  it('the results are in order, however long each call takes', async () => {
    const releases: (() => void)[] = [];
    const results = mapAtRate(
      async (index) => {
        await new Promise<void>((resolve) => releases.push(resolve));
        return index;
      },
      { count: 3, perSecond: unlimited, signal: never },
    );
    await runEventLoop();
    for (const release of releases.toReversed()) release();
    expect(await results).toEqual([0, 1, 2]);
  });

  it('the calls are spread over time by the rate', async () => {
    const startedAt = performance.now();
    const times: number[] = [];
    const call = async () => void times.push(performance.now() - startedAt);
    await mapAtRate(call, { count: 4, perSecond: 100, signal: never });
    // A timer ignores fractions of a millisecond, and can fire a millisecond early.
    for (const [index, time] of times.entries()) expect(time).toBeGreaterThanOrEqual(index * 10 - 3);
    expect(times).toHaveLength(4);
  });

  it('after the first failure no further call starts, not even one that waits for its turn', async () => {
    const lost = new Error('no response');
    const calls: number[] = [];
    const call = async (index: number) => {
      calls.push(index);
      throw lost;
    };
    await expect(mapAtRate(call, { count: 40, perSecond: 100, signal: never })).rejects.toBe(lost);
    // By the time of the fourth call of this one, the first would have made three more.
    await mapAtRate(async () => {}, { count: 4, perSecond: 100, signal: never });
    expect(calls).toEqual([0]);
  });

  it('a failure does not start the calls that no worker has taken yet', async () => {
    const releases: ((error: Error | null) => void)[] = [];
    const call = (index: number) =>
      new Promise<number>((resolve, reject) => {
        releases.push((error) => (error === null ? resolve(index) : reject(error)));
      });
    const results = mapAtRate(call, { count: 100, perSecond: unlimited, signal: never });
    await runEventLoop();
    const startedCount = releases.length;
    expect(startedCount).toBe(32);
    releases[0]?.(new Error('no response'));
    await expect(results).rejects.toThrow('no response');
    for (const release of releases.slice(1)) release(null);
    await runEventLoop();
    expect(releases).toHaveLength(startedCount);
  });

  it('finished calls leave nothing on the signal, which can live as long as the process', async () => {
    const { signal } = new AbortController();
    await mapAtRate(async () => {}, { count: 2, perSecond: unlimited, signal });
    const failing = { count: 2, perSecond: unlimited, signal };
    await expect(mapAtRate(() => Promise.reject(new Error('no')), failing)).rejects.toThrow('no');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('an interruption starts no further call', async () => {
    const interruption = new AbortController();
    const calls: number[] = [];
    const results = mapAtRate(
      async (index) => {
        calls.push(index);
        interruption.abort();
      },
      { count: 40, perSecond: 0.001, signal: interruption.signal },
    );
    await expect(results).rejects.toMatchObject({ code: 'interrupted' });
    expect(calls).toEqual([0]);
  });
});
