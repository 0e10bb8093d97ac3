import { expect, it } from 'vitest';
import { pollEffects } from '../../src/receiver/poll-effects.ts';

const PAUSE_MS = 300;

it('the wait for effects does not count the time in which the process was paused', async () => {
  const times: number[] = [];
  const isDone = (_: unknown, waitedMs: number) => {
    times.push(waitedMs);
    if (times.length === 2) setImmediate(pauseProcess);
    return times.length === 3;
  };
  const startedAt = performance.now();
  await pollEffects(async () => ({ count: 0, ids: null }), isDone, new AbortController().signal);
  expect(performance.now() - startedAt).toBeGreaterThan(PAUSE_MS);
  const [, before = 0, after = 0] = times;
  expect(after).toBeGreaterThan(before);
  expect(after - before).toBeLessThan(PAUSE_MS);
});

/** Blocks the event loop, as a busy machine or SIGSTOP does. */
function pauseProcess(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}
