/** Deletes old rows regularly. */
import { DAY_MS, HOUR_MS } from '../domain/duration.ts';
import type { RetentionLimits } from '../domain/retention-limits.ts';
import { clearInterval, setInterval } from '../timers.ts';
import type { Sandbox } from './sandbox.ts';

const MEGABYTE = 2 ** 20;

/**
 * Deletes rows beyond the retention limits, now and every hour, in steps that let other writes through. After that, and
 * after the state was replaced, it shrinks the database file.
 * @returns a function that stops the job.
 */
export function startRetentionJob(
  { store, wall, bus }: Pick<Sandbox, 'store' | 'wall' | 'bus'>,
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
    await store.releaseFreePages();
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
  const unsubscribe = bus.subscribe(({ type }) => {
    if (type === 'state_replaced') runUnlessFileLost(() => store.releaseFreePages());
  });
  runUnlessFileLost(removeOldRows);
  return () => {
    isStopped = true;
    unsubscribe();
    clearInterval(timer);
  };
}
