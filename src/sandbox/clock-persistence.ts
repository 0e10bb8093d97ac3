/** Writes schedule clocks to the store, so that they continue correctly after the process was killed. */
import { resumeAfterDowntime } from '../domain/clock.ts';
import { MINUTE_MS } from '../domain/duration.ts';
import { toClockState } from '../store/workspaces.ts';
import type { Sandbox } from './sandbox.ts';
import type { LoadedWorkspace } from './workspace-registry.ts';

/** At speed 1 the stored anchor is enough. It is rewritten regularly in case the wall clock is set. */
const PERSIST_INTERVAL_MS = MINUTE_MS;

/** Monotonic time at which each clock was last written. */
const persistedAt = new WeakMap<LoadedWorkspace, number>();

/** Writes the current state of a clock. Call inside a write. */
export function persistClock(
  { store, wall }: Pick<Sandbox, 'store' | 'wall'>,
  workspace: LoadedWorkspace,
): void {
  persistedAt.set(workspace, wall.monotonic());
  store.workspaces.setClock(workspace.seq, workspace.clock.getState());
}

/**
 * Writes the state of a clock together with rows of the same time, so that it cannot be earlier than them after a
 * restart. Call inside a write.
 */
export function persistClockIfNeeded(
  sandbox: Pick<Sandbox, 'store' | 'wall'>,
  workspace: LoadedWorkspace,
): void {
  const { rate } = workspace.clock;
  const elapsedMs = sandbox.wall.monotonic() - (persistedAt.get(workspace) ?? Number.NEGATIVE_INFINITY);
  if (rate > 0 && (rate !== 1 || elapsedMs > PERSIST_INTERVAL_MS)) persistClock(sandbox, workspace);
}

/**
 * Makes every clock in the store continue from its state at the wall time `stoppedAt`, as if no time had passed since.
 * Call inside a write.
 */
export function resumeClocks(stoppedAt: number, { store, wall }: Pick<Sandbox, 'store' | 'wall'>): void {
  const wallAt = wall.now();
  for (const row of store.workspaces.listAll()) {
    store.workspaces.setClock(row.seq, { ...resumeAfterDowntime(toClockState(row), stoppedAt), wallAt });
  }
}
