import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { abortAfter } from '../src/timers.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

describe('abortAfter', () => {
  it('a time limit survives garbage collection if only a combined signal refers to it', async () => {
    const signal = AbortSignal.any([new AbortController().signal, abortAfter(20)]);
    const aborted = once(signal, 'abort');
    for (let turn = 0; turn < 3; turn++) {
      await nextTurn();
      collectGarbage();
    }
    await aborted;
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });
});
