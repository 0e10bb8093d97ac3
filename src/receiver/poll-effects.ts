/** The wait for effects that `svc receiver check` and `svc receiver explore` share. */
import { sleep } from '../timers.ts';
import type { EffectReading, ReadEffects } from './effect-observer.ts';

const MIN_INTERVAL_MS = 4;
const MAX_INTERVAL_MS = 40;
const INTERVAL_GROWTH = 1.5;

/**
 * Reads effects at growing intervals until `isDone`, or until the signal is aborted.
 * @param isDone gets the milliseconds of waiting so far. They do not include the time in which this process was paused, for
 *   example by a busy machine, because that time shows nothing about the receiver.
 * @returns the last reading
 */
export async function pollEffects(
  read: ReadEffects,
  isDone: (reading: EffectReading, waitedMs: number) => boolean,
  signal: AbortSignal,
): Promise<EffectReading> {
  let countedFrom = performance.now();
  for (
    let intervalMs = MIN_INTERVAL_MS;
    ;
    intervalMs = Math.min(MAX_INTERVAL_MS, intervalMs * INTERVAL_GROWTH)
  ) {
    const startedAt = performance.now();
    const reading = await read();
    const readAt = performance.now();
    if (isDone(reading, readAt - countedFrom) || signal.aborted) return reading;
    // Waits as long as the reading took, so that reading a long list does not occupy the receiver all the time.
    const sleepMs = Math.max(intervalMs, readAt - startedAt);
    await sleep(sleepMs, signal);
    countedFrom += Math.max(0, performance.now() - readAt - sleepMs);
  }
}
