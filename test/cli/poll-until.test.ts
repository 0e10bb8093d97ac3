import { beforeEach, describe, expect, it, vi } from 'vitest';
import { pollUntil } from '../../src/cli/poll-until.ts';
import * as timers from '../../src/platform/timers.ts';
import { replaceExports } from '../support/replace-exports.ts';

const time = { now: 5_000, pauses: [] as number[] };
beforeEach(() => {
  Object.assign(time, { now: 5_000, pauses: [] });
  replaceExports(timers, {
    monotonic: () => time.now,
    async sleep(ms) {
      time.pauses.push(ms);
      await new Promise((resolve) => setImmediate(resolve));
      time.now += ms;
    },
  });
});

const { signal } = new AbortController();

/** Loads 1, 2, 3 and so on. */
function createCounter() {
  let count = 0;
  return async () => ++count;
}

describe('pollUntil', () => {
  it('pollUntil returns the first result that is done, after pauses that grow up to 250 ms', async () => {
    const result = await pollUntil(createCounter(), (count) => count === 9, { timeoutMs: 60_000, signal });
    expect(result).toBe(9);
    expect(time.pauses).toEqual([20, 30, 45, 67.5, 101.25, 151.875, 227.8125, 250]);
  });

  it.each([
    [0, 1],
    [20, 2],
    [21, 3],
    [50, 3],
  ])(
    'pollUntil with a time limit of %d ms loads %d times and returns the last result',
    async (timeoutMs, loads) => {
      expect(await pollUntil(createCounter(), () => false, { timeoutMs, signal })).toBe(loads);
    },
  );

  it('pollUntil fails when it is interrupted during a pause, without loading again', async () => {
    const interruption = new AbortController();
    const load = vi.fn(async () => interruption.abort());
    const options = { timeoutMs: 60_000, signal: interruption.signal };
    await expect(pollUntil(load, () => false, options)).rejects.toMatchObject({ code: 'interrupted' });
    expect(load).toHaveBeenCalledTimes(1);
  });
});
