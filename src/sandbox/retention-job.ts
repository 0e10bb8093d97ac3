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
  async function run(removals: Generator<() => void>): Promise<void> {
    for (const remove of removals) {
      if (isStopped) return;
      await store.write(remove);
    }
  }
  async function sweep(): Promise<void> {
    const { retention, lastSeq } = store;
    if (days !== null) await run(retention.removalsBefore(wall.now() - days * DAY_MS));
    if (requests !== null) await run(retention.removalsBeyond(requests));
    if (megabytes !== null) await run(retention.removalsToFit(megabytes * MEGABYTE, lastSeq));
    await store.releaseFreePages();
  }
  // A problem with the file is already reported by `watchDatabaseFile`.
  const runUnlessFileLost = (step: () => Promise<void>) => {
    if (store.fileProblem === null) void step().catch((error) => isStopped || onInternalError(error));
  };
  const timer = setInterval(() => {
    runUnlessFileLost(async () => {
      await store.write(() => store.retention.recordAge(store.lastSeq, wall.now()));
      await sweep();
    });
  }, HOUR_MS);
  timer.unref();
  const unsubscribe = bus.subscribe(({ type }) => {
    if (type === 'state_replaced') runUnlessFileLost(() => store.releaseFreePages());
  });
  runUnlessFileLost(sweep);
  return () => {
    isStopped = true;
    unsubscribe();
    clearInterval(timer);
  };
}
