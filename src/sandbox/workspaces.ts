import type { Workspace } from '../contract/resources.ts';
import { toWorkspace, type WorkspaceRow } from '../store/workspaces.ts';
import { type Caller, canAccess, notFound } from './access.ts';
import type { Sandbox } from './sandbox.ts';

export interface NewWorkspace {
  readonly name: string;
  /** Where it is already known; otherwise one is made. */
  readonly id?: string | undefined;
  /** How its clock starts; what is left out is as for every new workspace, and the time the present. */
  readonly clock?:
    | {
        /** ISO 8601. */
        readonly now?: string | undefined;
        readonly speed?: number | undefined;
        readonly frozen?: boolean | undefined;
      }
    | undefined;
}

/** Writes a workspace. Inside a write. */
export function createWorkspace(sandbox: Sandbox, input: NewWorkspace): Workspace {
  return toWorkspace(insertWorkspace(sandbox, input), sandbox.environment);
}

/** Writes a workspace. Inside a write. */
export function insertWorkspace(sandbox: Sandbox, { name, id, clock = {} }: NewWorkspace): WorkspaceRow {
  const { store, wall, generator, newClockSettings } = sandbox;
  const at = clock.now === undefined ? sandbox.timestamp() : Date.parse(clock.now);
  const row: WorkspaceRow = {
    seq: store.nextSeq(),
    id: id ?? generator.ids('resources').next('workspace', at),
    name,
    created_at: at,
    clock_at: at,
    clock_wall_at: wall.now(),
    clock_speed: clock.speed ?? newClockSettings.speed,
    clock_frozen: (clock.frozen ?? newClockSettings.frozen) ? 1 : 0,
  };
  store.workspaces.insert(row);
  return row;
}

/** @throws SvcError `not_found`, also for a workspace that the key is not for (decision `workspace.hidden`). */
export function getWorkspace({ store, environment }: Sandbox, caller: Caller, id: string): Workspace {
  const row = store.workspaces.find(id);
  if (row === undefined || !canAccess(caller, row.seq)) throw notFound('workspace', id);
  return toWorkspace(row, environment);
}
