/** Makes many calls, a limited number at a time and at a limited rate. */

import { SvcError } from '../domain/errors.ts';
import { createLinkedController } from './abort-signals.ts';
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
  const stop = createLinkedController([signal]);
  let startedCount = 0;

  async function waitForTurn(index: number): Promise<void> {
    const waitMs = startedAt + (index * 1000) / perSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs, stop.signal);
  }

  async function runWorker(): Promise<void> {
    while (startedCount < count) {
      const index = startedCount++;
      await waitForTurn(index);
      if (signal.aborted) throw new SvcError('interrupted', 'Interrupted.', { cause: signal.reason });
      if (stop.signal.aborted) return;
      results[index] = await call(index);
    }
  }

  const workers = Array.from({ length: Math.min(count, MAX_CONCURRENCY) }, () =>
    runWorker().catch((error: unknown) => {
      stop.abort();
      throw error;
    }),
  );
  await Promise.all(workers);
  // Removes the listener of `signal`.
  stop.abort();
  return results;
}
