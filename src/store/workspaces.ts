/** The table of workspaces and their clocks. */

import type { ScheduleClockState } from '../domain/clock.ts';
import type { Environment } from '../domain/credentials.ts';
import { Workspace } from '../resources/workspace.ts';
import { createRowReader, toFlag } from './columns.ts';
import { type PageRequest, type RowPage, readPage } from './row-page.ts';
import type { Row } from './schema.ts';
import { Table } from './sql.ts';

export type WorkspaceRow = Row<'workspaces'>;

export class WorkspaceTable extends Table {
  insert(row: WorkspaceRow): void {
    this.sql.insert('workspaces', row);
  }

  find(id: string): WorkspaceRow | undefined {
    return this.sql.get('SELECT * FROM workspaces WHERE id = ?', [id]);
  }

  findBySeq(seq: number): WorkspaceRow | undefined {
    return this.sql.get('SELECT * FROM workspaces WHERE seq = ?', [seq]);
  }

  /** The workspace that the first start created. */
  findOldest(): WorkspaceRow | undefined {
    return this.sql.get('SELECT * FROM workspaces ORDER BY seq LIMIT 1');
  }

  /** The newest ID of each table that takes the IDs of its rows from the ID generator of a workspace. */
  listNewestIds(seq: number): string[] {
    return ['events', 'deliveries', 'webhooks'].flatMap(
      (table) =>
        this.sql.value<string>(`SELECT id FROM ${table} WHERE workspace_seq = ? ORDER BY seq DESC LIMIT 1`, [
          seq,
        ]) ?? [],
    );
  }

  /** The newest ID of a workspace and of an API key. */
  listNewestResourceIds(): string[] {
    return ['workspaces', 'api_keys'].flatMap(
      (table) => this.sql.value<string>(`SELECT id FROM ${table} ORDER BY seq DESC LIMIT 1`) ?? [],
    );
  }

  list(page: PageRequest): RowPage<WorkspaceRow> {
    return readPage(page, (before, limit) =>
      this.sql.all<WorkspaceRow>('SELECT * FROM workspaces WHERE seq < ? ORDER BY seq DESC LIMIT ?', [
        before,
        limit,
      ]),
    );
  }

  listAll(): WorkspaceRow[] {
    return this.sql.all('SELECT * FROM workspaces ORDER BY seq');
  }

  setClock(seq: number, state: ScheduleClockState): void {
    const { at, wallAt, speed, frozen } = state;
    this.sql.run(
      'UPDATE workspaces SET clock_at = ?, clock_wall_at = ?, clock_speed = ?, clock_frozen = ? WHERE seq = ?',
      [at, wallAt, speed, toFlag(frozen), seq],
    );
  }
}

export function toClockState(row: WorkspaceRow): ScheduleClockState {
  const { clock_at: at, clock_wall_at: wallAt, clock_speed: speed, clock_frozen } = row;
  return { at, wallAt, speed, frozen: clock_frozen === 1 };
}

const readWorkspace = createRowReader(Workspace.entries);

export function toWorkspace(row: WorkspaceRow, environment: Environment): Workspace {
  return readWorkspace({ ...row, environment });
}
