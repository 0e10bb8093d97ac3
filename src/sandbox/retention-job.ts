/** Deletes old rows regularly. */
import { DAY_MS, HOUR_MS } from '../domain/duration.ts';
import type { RetentionLimits } from '../domain/retention-limits.ts';
import { clearInterval, setInterval } from '../timers.ts';
import type { Sandbox } from './sandbox.ts';

const MEGABYTE = 2 ** 20;

/**
 * Deletes rows beyond the retention limits, now and every hour, in steps that let other writes through. The database file keeps
 * its size, and new rows use the free pages.
 * @returns a function that stops the job.
 */
export function startRetentionJob(
  { store, wall }: Pick<Sandbox, 'store' | 'wall'>,
  { days, requests, megabytes }: RetentionLimits,
  onInternalError: (error: unknown) => void,
): () => void {
  let isStopped = false;
  async function runSteps(steps: Generator<() => void>): Promise<void> {
    for (const step of steps) {
      if (isStopped) return;
      await store.write(step);
    }
  }
  async function removeOldRows(): Promise<void> {
    const { retention, lastSeq } = store;
    if (days !== null) await runSteps(retention.planRemovalBefore(wall.now() - days * DAY_MS));
    if (requests !== null) await runSteps(retention.planRemovalBeyond(requests));
    await runSteps(retention.planMessageRemoval());
    if (megabytes !== null) await runSteps(retention.planRemovalToFit(megabytes * MEGABYTE, lastSeq));
  }
  // A problem with the file is already reported by `watchDatabaseFile`.
  const runUnlessFileLost = (step: () => Promise<void>) => {
    if (store.fileProblem === null) void step().catch((error) => isStopped || onInternalError(error));
  };
  const timer = setInterval(() => {
    runUnlessFileLost(async () => {
      await store.write(() => store.retention.recordAge(store.lastSeq, wall.now()));
      await removeOldRows();
    });
  }, HOUR_MS);
  timer.unref();
  runUnlessFileLost(removeOldRows);
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}
