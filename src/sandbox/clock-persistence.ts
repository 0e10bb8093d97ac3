/** Keeping the schedule clocks in the store, so that a process that is killed loses no time. */
import { resumeAfterDowntime } from '../domain/clock.ts';
import { MINUTE_MS } from '../domain/duration.ts';
import { toClockState } from '../store/workspaces.ts';
import type { Sandbox } from './sandbox.ts';
import type { LoadedWorkspace } from './workspace-registry.ts';

/** A clock that runs at real speed can be told from its anchor; it is kept now and then, should the wall clock be set. */
const PERSIST_INTERVAL_MS = MINUTE_MS;

/** Monotonic times at which clocks were last kept. */
const persistedAt = new WeakMap<LoadedWorkspace, number>();

/** Writes where a clock stands. Inside a write. */
export function persistClock({ store, wall }: Sandbox, workspace: LoadedWorkspace): void {
  persistedAt.set(workspace, wall.monotonic());
  store.workspaces.setClock(workspace.seq, workspace.clock.state());
}

/**
 * Writes where a clock stands beside what is written at that time, so that no restart can bring it back before that.
 * Inside a write.
 */
export function persistClockIfNeeded(sandbox: Sandbox, workspace: LoadedWorkspace): void {
  const { rate } = workspace.clock;
  const since = sandbox.wall.monotonic() - (persistedAt.get(workspace) ?? Number.NEGATIVE_INFINITY);
  if (rate > 0 && (rate !== 1 || since > PERSIST_INTERVAL_MS)) persistClock(sandbox, workspace);
}

/**
 * Lets every clock in the store go on from where it stood at the wall time `thenAt`: what has passed since does not
 * count. Inside a write.
 */
export function resumeClocks(thenAt: number, { store, wall }: Sandbox): void {
  const wallAt = wall.now();
  for (const row of store.workspaces.listAll()) {
    store.workspaces.setClock(row.seq, { ...resumeAfterDowntime(toClockState(row), thenAt), wallAt });
  }
}
