/** Makes many calls, a limited number at a time and at a limited rate. */
import { SvcError } from '../errors.ts';
import { clearTimeout, setTimeout } from '../timers.ts';

const MAX_CONCURRENCY = 32;

export interface MapAtRateOptions {
  readonly count: number;
  readonly perSecond: number;
  readonly signal: AbortSignal;
  /** Called after each call with the number of completed calls. */
  readonly onDone?: (done: number) => void;
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
  let begun = 0;
  let done = 0;

  async function work(): Promise<void> {
    while (begun < count) {
      const index = begun++;
      if (signal.aborted) throw interrupted(signal);
      const waitMs = startedAt + (index * 1000) / perSecond - performance.now();
      if (waitMs > 0) await sleepUnlessAborted(waitMs, signal);
      results[index] = await call(index);
      onDone?.(++done);
    }
  }

  await Promise.all(Array.from({ length: Math.min(count, MAX_CONCURRENCY) }, work)).catch(
    (error: unknown) => {
      begun = count;
      throw error;
    },
  );
  return results;
}

function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const interrupt = () => {
      clearTimeout(timer);
      reject(interrupted(signal));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', interrupt);
      resolve();
    }, ms);
    signal.addEventListener('abort', interrupt, { once: true });
  });
}

function interrupted({ reason }: AbortSignal): SvcError {
  return new SvcError('interrupted', 'Interrupted.', { cause: reason });
}
