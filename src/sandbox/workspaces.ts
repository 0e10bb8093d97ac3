import type { Workspace } from '../contract/resources.ts';
import { toWorkspace, type WorkspaceRow } from '../store/workspaces.ts';
import { type Caller, maySee, notFound } from './access.ts';
import type { Sandbox } from './sandbox.ts';

/** Writes a workspace; its clock starts at the present. Inside a write. */
export function createWorkspace(sandbox: Sandbox, name: string): Workspace {
  const { store, wall, mint, environment, newClock } = sandbox;
  const at = sandbox.stamp();
  const row: WorkspaceRow = {
    seq: store.nextSeq(),
    id: mint.ids('resources').next('workspace', at),
    name,
    created_at: at,
    clock_at: at,
    clock_wall_at: wall.now(),
    clock_speed: newClock.speed,
    clock_frozen: newClock.frozen ? 1 : 0,
  };
  store.workspaces.insert(row);
  return toWorkspace(row, environment);
}

/** @throws SvcError `not_found`, also for a workspace that the key is not for (decision `workspace.hidden`). */
export function getWorkspace({ store, environment }: Sandbox, caller: Caller, id: string): Workspace {
  const row = store.workspaces.find(id);
  if (row === undefined || !maySee(caller, row.seq)) throw notFound('workspace', id);
  return toWorkspace(row, environment);
}
