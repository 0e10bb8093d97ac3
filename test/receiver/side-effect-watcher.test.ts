import { expect, it } from 'vitest';
import { SideEffectWatcher } from '../../src/receiver/side-effect-watcher.ts';

const PAUSE_MS = 300;
const { signal } = new AbortController();
const oneSideEffect = new Map([['evt_1', { min: 1, max: 1 }]]);

it('the wait for a missing side effect does not count the time in which the process was paused, the time that it takes does', async () => {
  let reads = 0;
  const watcher = new SideEffectWatcher(async () => {
    if (++reads === 2) setImmediate(pauseProcess);
    const ids = reads < 4 ? [] : ['evt_1'];
    return { count: ids.length, ids };
  }, signal);
  expect(await watcher.waitFor(oneSideEffect, 0, PAUSE_MS)).toEqual({
    mode: 'ids',
    countsById: new Map([['evt_1', 1]]),
  });
  expect(watcher.slowestMs).toBeGreaterThan(PAUSE_MS);
});

/** Blocks the event loop, as a busy machine or SIGSTOP does. */
function pauseProcess(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}
