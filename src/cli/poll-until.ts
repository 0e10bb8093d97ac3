/** Waits by repeating a request. */
import { SvcError } from '../domain/errors.ts';
import { monotonic, sleep } from '../platform/timers.ts';

const MIN_INTERVAL_MS = 20;
const MAX_INTERVAL_MS = 250;
/** How many times longer each pause is than the one before. */
const INTERVAL_FACTOR = 1.5;

/**
 * Calls `load` until `isDone` or until the time limit, and returns the last result. For deliveries, `waitForDeliveries` needs only
 * one request.
 * @throws SvcError `interrupted`
 */
export async function pollUntil<Result>(
  load: () => Promise<Result>,
  isDone: (result: Result) => boolean,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Result> {
  const deadline = monotonic() + timeoutMs;
  let pauseMs = MIN_INTERVAL_MS;
  while (true) {
    const result = await load();
    if (isDone(result) || monotonic() >= deadline) return result;
    await sleep(pauseMs, signal);
    if (signal.aborted) throw new SvcError('interrupted', 'Interrupted.');
    pauseMs = Math.min(pauseMs * INTERVAL_FACTOR, MAX_INTERVAL_MS);
  }
}
