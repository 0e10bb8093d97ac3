/** Creates and reads workspaces. */
import type { Workspace } from '../contract/resources.ts';
import { toWorkspace, type WorkspaceRow } from '../store/workspaces.ts';
import { type Caller, canAccess, createNotFoundError } from './access.ts';
import type { Sandbox } from './sandbox.ts';

export interface NewWorkspace {
  readonly name: string;
  /** The id; default: a new one. */
  readonly id?: string | undefined;
  /** Initial clock settings (default: the current time and the settings for new workspaces). */
  readonly clock?:
    | {
        /** ISO 8601. */
        readonly now?: string | undefined;
        readonly speed?: number | undefined;
        readonly frozen?: boolean | undefined;
      }
    | undefined;
}

type WorkspaceServices = Pick<Sandbox, 'store' | 'wall' | 'generator' | 'newClockSettings' | 'timestamp'>;

/** Writes a workspace. Call inside a write. */
export function createWorkspace(
  sandbox: WorkspaceServices & Pick<Sandbox, 'environment'>,
  input: NewWorkspace,
): Workspace {
  return toWorkspace(insertWorkspace(sandbox, input), sandbox.environment);
}

/** Like {@link createWorkspace}, but returns the row. */
export function insertWorkspace(
  sandbox: WorkspaceServices,
  { name, id, clock = {} }: NewWorkspace,
): WorkspaceRow {
  const { store, wall, generator, newClockSettings } = sandbox;
  const scheduleTime = clock.now === undefined ? sandbox.timestamp() : Date.parse(clock.now);
  const row: WorkspaceRow = {
    seq: store.nextSeq(),
    id: id ?? generator.ids('resources').next('workspace', scheduleTime),
    name,
    created_at: scheduleTime,
    clock_at: scheduleTime,
    clock_wall_at: wall.now(),
    clock_speed: clock.speed ?? newClockSettings.speed,
    clock_frozen: (clock.frozen ?? newClockSettings.frozen) ? 1 : 0,
  };
  store.workspaces.insert(row);
  return row;
}

/** @throws SvcError `not_found`, also for a workspace that the key cannot access (decision `workspace.hidden`). */
export function getWorkspace(
  { store, environment }: Pick<Sandbox, 'store' | 'environment'>,
  caller: Caller,
  id: string,
): Workspace {
  const row = store.workspaces.find(id);
  if (row === undefined || !canAccess(caller, row.seq)) throw createNotFoundError('workspace', id);
  return toWorkspace(row, environment);
}
