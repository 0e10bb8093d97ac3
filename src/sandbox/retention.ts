import { DAY_MS, HOUR_MS } from '../domain/duration.ts';
import { clearInterval, setInterval } from '../timers.ts';
import type { Sandbox } from './sandbox.ts';

/**
 * Removes what is older than `keepDays` of wall time: now, and again every hour. Other writes go between.
 * @returns a function that ends that.
 */
export function startRetention(
  { store, wall }: Sandbox,
  keepDays: number,
  onFault: (fault: unknown) => void,
): () => void {
  let isOver = false;
  async function sweep(): Promise<void> {
    for (const remove of store.retention.removalsBefore(wall.now() - keepDays * DAY_MS)) {
      await store.write(remove);
      if (isOver) return;
    }
  }
  const sweepNow = () => void sweep().catch(onFault);
  const timer = setInterval(sweepNow, HOUR_MS);
  timer.unref();
  sweepNow();
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}
