/** Makes many calls, a limited number at a time and at a limited rate. */

import { SvcError } from '../domain/errors.ts';
import { withAnySignal } from './abort-signals.ts';
import { sleep } from './timers.ts';

const MAX_CONCURRENCY = 32;

interface MapAtRateOptions {
  readonly count: number;
  readonly perSecond: number;
  readonly signal: AbortSignal;
}

/**
 * Makes `count` calls, at most 32 at a time and `perSecond` in a second. Each call receives its index.
 * @returns the results in order.
 * @throws the error of the first call that fails, or SvcError `interrupted` once `signal` is aborted. After that, no
 *   further call starts.
 */
export async function mapAtRate<Result>(
  call: (index: number) => Promise<Result>,
  { count, perSecond, signal }: MapAtRateOptions,
): Promise<Result[]> {
  const startedAt = performance.now();
  const results: Result[] = [];
  let startedCount = 0;
  // The first error ends the task, which aborts the signal of the other workers.
  await withAnySignal([signal], async (ended) => {
    const runWorker = async (): Promise<void> => {
      while (startedCount < count) {
        const index = startedCount++;
        const waitMs = startedAt + (index * 1000) / perSecond - performance.now();
        if (waitMs > 0) await sleep(waitMs, ended);
        if (signal.aborted) throw new SvcError('interrupted', 'Interrupted.', { cause: signal.reason });
        if (ended.aborted) return;
        results[index] = await call(index);
      }
    };
    await Promise.all(Array.from({ length: Math.min(count, MAX_CONCURRENCY) }, runWorker));
  });
  return results;
}
