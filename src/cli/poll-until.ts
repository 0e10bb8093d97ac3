import { setTimeout as pause } from 'node:timers/promises';
import { SvcError } from '../errors.ts';

const MIN_INTERVAL_MS = 20;
const MAX_INTERVAL_MS = 250;

export interface PollOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Calls `load` until `isDone` or until the time is over, and returns the last result. Only for changes that the live
 * stream does not report: for deliveries use `trackDeliveries`.
 * @throws SvcError `interrupted`
 */
export async function pollUntil<Result>(
  load: () => Promise<Result>,
  isDone: (result: Result) => boolean,
  { timeoutMs, signal }: PollOptions,
): Promise<Result> {
  const endAt = performance.now() + timeoutMs;
  for (let pauseMs = MIN_INTERVAL_MS; ; pauseMs = Math.min(pauseMs * 1.5, MAX_INTERVAL_MS)) {
    const result = await load();
    if (isDone(result) || performance.now() >= endAt) return result;
    await pause(pauseMs, undefined, { signal }).catch((error: unknown) => {
      throw new SvcError('interrupted', 'Interrupted.', { cause: error });
    });
  }
}
