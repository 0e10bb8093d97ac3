/** Deletes rows beyond the retention limits: at the start, every hour, and each time the database has grown. */
import { DAY_MS, HOUR_MS } from '../../domain/duration.ts';
import type { RetentionLimits } from '../../domain/retention-limits.ts';
import { clearInterval, setInterval } from '../../platform/timers.ts';
import type { Sandbox } from './sandbox.ts';

const MEGABYTE = 2 ** 20;
/** New rows after which the limits are checked again. docs/durability.md states it. */
const CHECKED_GROWTH_BYTES = 16 * MEGABYTE;

/**
 * The removal lets other writes through between its steps. The database file keeps its size, and new rows use the free pages.
 * @returns a function that stops the job.
 */
export function startRetentionJob(
  { store, wall }: Sandbox,
  { days, megabytes }: RetentionLimits,
  onInternalError: (error: unknown) => void,
): () => void {
  const { retention } = store;
  let isStopped = false;
  let isRunning = false;
  let nextCheckSize = 0;
  async function removeOldRows(): Promise<void> {
    // A problem with the file is already reported by `watchDatabaseFile`.
    if (isRunning || store.fileProblem !== null) return;
    isRunning = true;
    try {
      const plan = retention.planRemoval({
        since: days === null ? null : wall.now() - days * DAY_MS,
        maxSize: megabytes === null ? null : megabytes * MEGABYTE,
      });
      for (const step of plan) {
        await store.write(() => {
          step();
          // The newest rows may be deleted, and their sequences must not be used again after a restart.
          store.keepLastSeq();
        });
        if (isStopped) return;
      }
    } catch (error) {
      if (!isStopped) onInternalError(error);
    }
    isRunning = false;
    if (!isStopped) nextCheckSize = retention.getUsedSize() + CHECKED_GROWTH_BYTES;
  }
  const unsubscribe = store.subscribe(() => {
    if (retention.getUsedSize() >= nextCheckSize) void removeOldRows();
  });
  const timer = setInterval(() => void removeOldRows(), HOUR_MS);
  timer.unref();
  void removeOldRows();
  return () => {
    isStopped = true;
    unsubscribe();
    clearInterval(timer);
  };
}
