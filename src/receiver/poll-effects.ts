/** The wait for effects that `svc receiver check` and `svc receiver fuzz` share. */
import { sleep } from '../timers.ts';
import type { EffectReading, ReadEffects } from './effect-observer.ts';

const MIN_INTERVAL_MS = 4;
const MAX_INTERVAL_MS = 40;
const INTERVAL_GROWTH = 1.5;

/**
 * Reads effects at growing intervals until `isDone`, or until the signal is aborted.
 * @param isDone gets the milliseconds of waiting so far, without those in which this process was paused between two readings,
 *   for example by a busy machine. Effects of that time have not been read yet.
 * @returns the last reading
 */
export async function pollEffects(
  read: ReadEffects,
  isDone: (reading: EffectReading, waitedMs: number) => boolean,
  signal: AbortSignal,
): Promise<EffectReading> {
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
