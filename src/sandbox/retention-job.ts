import { DAY_MS, HOUR_MS } from '../domain/duration.ts';
import type { RetentionLimits } from '../domain/retention-limits.ts';
import { clearInterval, setInterval } from '../timers.ts';
import type { Sandbox } from './sandbox.ts';

const MEGABYTE = 2 ** 20;

/**
 * Removes what is beyond the limits: now, and again every hour. Then, and whenever the state was replaced, the file gives
 * back the space that is free. Other writes go between.
 * @returns a function that ends that.
 */
export function startRetentionJob(
  { store, wall, bus }: Sandbox,
  { days, requests, megabytes }: RetentionLimits,
  onFault: (fault: unknown) => void,
): () => void {
  let isOver = false;
  async function run(removals: Generator<() => void>): Promise<void> {
    for (const remove of removals) {
      if (isOver) return;
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
  // A database that was lost has been reported.
  const safely = (step: () => Promise<void>) => {
    if (store.fileProblem === null) void step().catch((fault) => isOver || onFault(fault));
  };
  const timer = setInterval(() => {
    safely(async () => {
      await store.write(() => store.retention.recordAge(store.lastSeq, wall.now()));
      await sweep();
    });
  }, HOUR_MS);
  timer.unref();
  const unsubscribe = bus.subscribe(({ type }) => {
    if (type === 'renewed') safely(() => store.releaseFreePages());
  });
  safely(sweep);
  return () => {
    isOver = true;
    unsubscribe();
    clearInterval(timer);
  };
}
