/** Makes many calls, a limited number at a time and at a limited rate. */
import { SvcError } from '../errors.ts';
import { sleep } from '../timers.ts';

const MAX_CONCURRENCY = 32;

export interface MapAtRateOptions {
  readonly count: number;
  readonly perSecond: number;
  readonly signal: AbortSignal;
  /** Called after each call with the number of completed calls. */
  readonly onDone?: (completedCount: number) => void;
}

/**
 * Makes `count` calls, at most 32 at a time and `perSecond` in a second. Each call receives its index.
 * @returns the results in order.
 * @throws the error of the first call that fails, or SvcError `interrupted` once `signal` is aborted. No further call starts
 *   then.
 */
export async function mapAtRate<Result>(
  call: (index: number) => Promise<Result>,
  { count, perSecond, signal, onDone }: MapAtRateOptions,
): Promise<Result[]> {
  const startedAt = performance.now();
  const results: Result[] = [];
  let startedCount = 0;
  let completedCount = 0;

  async function runWorker(): Promise<void> {
    while (startedCount < count) {
      const index = startedCount++;
      const waitMs = startedAt + (index * 1000) / perSecond - performance.now();
      if (waitMs > 0) await sleep(waitMs, signal);
      if (signal.aborted) throw new SvcError('interrupted', 'Interrupted.', { cause: signal.reason });
      results[index] = await call(index);
      onDone?.(++completedCount);
    }
  }

  await Promise.all(Array.from({ length: Math.min(count, MAX_CONCURRENCY) }, runWorker)).catch(
    (error: unknown) => {
      startedCount = count;
      throw error;
    },
  );
  return results;
}
