import { getEventListeners, once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import {
  abortAfter,
  abortAtEnd,
  createLinkedController,
  withAnySignal,
} from '../../src/platform/abort-signals.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

describe('abortAfter', () => {
  it('a time limit survives garbage collection if only a combined signal refers to it', async () => {
    const { signal } = createLinkedController([new AbortController().signal, abortAfter(20)]);
    const aborted = once(signal, 'abort');
    for (let turn = 0; turn < 3; turn++) {
      await nextTurn();
      collectGarbage();
    }
    await aborted;
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });
});

describe('withAnySignal', () => {
  it('the signal of a task aborts with any of the signals, even one that aborted before', async () => {
    const signals = [new AbortController(), new AbortController()] as const;
    await withAnySignal(
      signals.map(({ signal }) => signal),
      async (signal) => {
        expect(signal.aborted).toBe(false);
        signals[1].abort();
        expect(signal.aborted).toBe(true);
      },
    );
    await withAnySignal([signals[1].signal], async ({ aborted }) => expect(aborted).toBe(true));
  });

  it('a task that ends or fails leaves nothing behind on a signal that lives longer, and its own signal aborts', async () => {
    const { signal } = new AbortController();
    const own = await withAnySignal([signal], async (end) => {
      expect(getEventListeners(signal, 'abort')).toHaveLength(1);
      return end;
    });
    await expect(withAnySignal([signal], () => Promise.reject(new Error('failed')))).rejects.toThrow(
      'failed',
    );
    expect([own.aborted, getEventListeners(signal, 'abort')]).toEqual([true, []]);
  });
});

describe('createLinkedController', () => {
  it('a linked controller aborts with the reason of the first signal, and then listens to none', () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const signals = [first.signal, second.signal];
    const { signal } = createLinkedController(signals);
    second.abort('stopped');
    first.abort('too late');
    expect(signal.reason).toBe('stopped');
    expect(createLinkedController(signals).signal.reason).toBe('too late');
    expect(signals.flatMap((one) => getEventListeners(one, 'abort'))).toEqual([]);
  });

  it('an iteration that ends, fails or is left removes the listeners of its controller', async () => {
    const { signal } = new AbortController();
    async function* count() {
      yield 1;
      expect(getEventListeners(signal, 'abort')).toHaveLength(1);
      throw new Error('failed');
    }
    for await (const _ of abortAtEnd(count(), createLinkedController([signal]))) break;
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    const failing = abortAtEnd(count(), createLinkedController([signal]));
    await failing.next();
    await expect(failing.next()).rejects.toThrow('failed');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
