import { expect, it } from 'vitest';
import { SideEffectWatcher } from '../../src/receiver/fuzz/side-effect-watcher.ts';
import { pollSideEffects } from '../../src/receiver/poll-side-effects.ts';

const PAUSE_MS = 300;

it('the wait for side effects does not count the time in which the process was paused', async () => {
  const times: number[] = [];
  const isDone = (_: unknown, waitedMs: number) => {
    times.push(waitedMs);
    if (times.length === 2) setImmediate(pauseProcess);
    return times.length === 3;
  };
  const startedAt = performance.now();
  await pollSideEffects(async () => ({ count: 0, ids: null }), isDone, new AbortController().signal);
  expect(performance.now() - startedAt).toBeGreaterThan(PAUSE_MS);
  const [, before = 0, after = 0] = times;
  expect(after).toBeGreaterThan(before);
  expect(after - before).toBeLessThan(PAUSE_MS);
});

it('the time that side effects take includes the time in which the process was paused', async () => {
  const watcher = new SideEffectWatcher(async () => {
    const ids = watcher.latestIds === null ? [] : ['evt_1'];
    if (ids.length === 0) setImmediate(pauseProcess);
    return { count: ids.length, ids };
  }, new AbortController().signal);
  await watcher.waitFor(new Map([['evt_1', { min: 1, max: 1 }]]), 0, 5_000);
  expect(watcher.slowestMs).toBeGreaterThan(PAUSE_MS);
});

/** Blocks the event loop, as a busy machine or SIGSTOP does. */
function pauseProcess(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}
