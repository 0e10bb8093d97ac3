/** The wait for side effects that `svc receiver check` and `svc receiver fuzz` share. */
import { sleep } from '../timers.ts';
import type { ReadSideEffects, SideEffectReading } from './side-effect-observer.ts';

const MIN_INTERVAL_MS = 4;
const MAX_INTERVAL_MS = 40;
const INTERVAL_GROWTH = 1.5;

/**
 * Reads side effects at growing intervals until `isDone`, or until the signal is aborted.
 * @param isDone gets the milliseconds of waiting so far, without those in which this process was paused between two readings,
 *   for example by a busy machine. Side effects of that time have not been read yet.
 * @returns the last reading
 */
export async function pollSideEffects(
  read: ReadSideEffects,
  isDone: (reading: SideEffectReading, waitedMs: number) => boolean,
  signal: AbortSignal,
): Promise<SideEffectReading> {
  const startedAt = performance.now();
  let pausedMs = 0;
  for (
    let intervalMs = MIN_INTERVAL_MS;
    ;
    intervalMs = Math.min(MAX_INTERVAL_MS, intervalMs * INTERVAL_GROWTH)
  ) {
    const readFrom = performance.now();
    const reading = await read();
    const readAt = performance.now();
    if (isDone(reading, readAt - startedAt - pausedMs) || signal.aborted) return reading;
    // Waits as long as the reading took, so that reading a long list does not occupy the receiver all the time.
    const sleepMs = Math.max(intervalMs, readAt - readFrom);
    await sleep(sleepMs, signal);
    // The sleep also ends early, when the signal is aborted.
    pausedMs += Math.max(0, performance.now() - readAt - sleepMs);
  }
}
