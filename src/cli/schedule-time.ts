/** The schedule time of workspaces, which relative times are computed from: it can be far from the wall time. */

import { formatRelative } from '../domain/duration.ts';
import type { ControlPlane } from '../operations/control-plane.ts';
import type { Context } from './context.ts';
import type { Column } from './render/table.ts';

interface InWorkspace {
  readonly workspace_id: string;
}

/** Returns the schedule time of the workspace of a row, in milliseconds since 1970. */
export type ScheduleTimeOf = (row: InWorkspace) => number;

/** Loads the schedule time of the workspace of each row. With `--json` it requests none, because JSON has no relative times. */
export async function fetchScheduleTimes(
  rows: readonly InWorkspace[],
  control: Pick<ControlPlane, 'getClock'>,
  { json, now }: Pick<Context, 'json' | 'now'>,
): Promise<ScheduleTimeOf> {
  const ids = json ? [] : [...new Set(rows.map(({ workspace_id }) => workspace_id))];
  const clocks = await Promise.all(ids.map((workspace_id) => control.getClock({ workspace_id })));
  const times = new Map(clocks.map((clock) => [clock.workspace_id, Date.parse(clock.now)]));
  return ({ workspace_id }) => times.get(workspace_id) ?? now();
}

/** The column of the time at which a resource was created, which is a schedule time. */
export function createdColumn(
  scheduleTimeOf: ScheduleTimeOf,
): Partial<Column<InWorkspace & { readonly created_at: string }>> {
  return { value: (row) => formatRelative(row.created_at, scheduleTimeOf(row)) };
}
