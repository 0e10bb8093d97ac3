/** The table of injected faults. */
import type { Fault } from '../resources/fault.ts';
import { type PageRequest, type RowPage, readPage } from './row-page.ts';
import type { Row } from './schema.ts';
import { Table } from './sql.ts';

export type FaultRow = Row<'faults'>;

export class FaultTable extends Table {
  insert(row: FaultRow): void {
    this.sql.insert('faults', row);
  }

  find(id: string): FaultRow | undefined {
    return this.sql.get('SELECT * FROM faults WHERE id = ?', [id]);
  }

  /** All faults, oldest first. */
  listAll(): FaultRow[] {
    return this.sql.all('SELECT * FROM faults ORDER BY seq');
  }

  /** A page of the faults of one workspace or of all, newest first. */
  list(workspaceId: string | null, page: PageRequest): RowPage<FaultRow> {
    return readPage(page, (before, limit) =>
      this.sql.all<FaultRow>(
        `SELECT * FROM faults WHERE seq < @before
         AND (@workspaceId IS NULL OR rule ->> 'workspace_id' = @workspaceId)
       ORDER BY seq DESC LIMIT @limit`,
        { before, workspaceId, limit },
      ),
    );
  }

  setAppliedCount(seq: number, count: number): void {
    this.sql.run('UPDATE faults SET applied_count = ? WHERE seq = ?', [count, seq]);
  }

  /** Deletes the faults that match the arguments that are not null. @returns how many. */
  delete(id: string | null, workspaceId: string | null): number {
    return this.sql.run(
      `DELETE FROM faults WHERE (@id IS NULL OR id = @id)
         AND (@workspaceId IS NULL OR rule ->> 'workspace_id' = @workspaceId)`,
      { id, workspaceId },
    ).changes;
  }
}

export function toFault({ id, rule, applied_count, created_at }: FaultRow): Fault {
  return { id, ...JSON.parse(rule), applied_count, created_at: new Date(created_at).toISOString() };
}
