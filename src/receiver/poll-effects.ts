/** The wait for effects that `svc receiver check` and `svc receiver explore` share. */
import { sleep } from '../timers.ts';
import type { EffectReading, ReadEffects } from './effect-observer.ts';

const MIN_INTERVAL_MS = 4;
const MAX_INTERVAL_MS = 40;
const INTERVAL_GROWTH = 1.5;

/** Reads effects at growing intervals until `isDone`, or until the signal is aborted. @returns the last reading */
export async function pollEffects(
  read: ReadEffects,
  isDone: (reading: EffectReading) => boolean,
  signal: AbortSignal,
): Promise<EffectReading> {
  for (
    let intervalMs = MIN_INTERVAL_MS;
    ;
    intervalMs = Math.min(MAX_INTERVAL_MS, intervalMs * INTERVAL_GROWTH)
  ) {
    const startedAt = performance.now();
    const reading = await read();
    if (isDone(reading) || signal.aborted) return reading;
    // Waits as long as the reading took, so that reading a long list does not occupy the receiver all the time.
    await sleep(Math.max(intervalMs, performance.now() - startedAt), signal);
  }
}
