/** The table of injected faults. */
import type Database from 'better-sqlite3';
import type { Fault } from '../contract/fault-schemas.ts';
import { type PageRequest, type RowPage, readPage } from './row-page.ts';
import { prepareInsert } from './schema.ts';

export interface FaultRow {
  readonly seq: number;
  readonly id: string;
  /** A `FaultRule` as JSON. */
  readonly rule: string;
  readonly fired: number;
  readonly created_at: number;
}

function prepareStatements(db: Database.Database) {
  return {
    insert: prepareInsert<FaultRow>(db, 'faults'),
    find: db.prepare<[string], FaultRow>('SELECT * FROM faults WHERE id = ?'),
    listAll: db.prepare<[], FaultRow>('SELECT * FROM faults ORDER BY seq'),
    list: db.prepare<[{ before: number; workspace: string | null; limit: number }], FaultRow>(
      `SELECT * FROM faults WHERE seq < @before
         AND (@workspace IS NULL OR rule ->> 'workspace_id' = @workspace)
       ORDER BY seq DESC LIMIT @limit`,
    ),
    setFired: db.prepare<[number, number]>('UPDATE faults SET fired = ? WHERE seq = ?'),
    delete: db.prepare<[{ id: string | null; workspace: string | null }]>(
      `DELETE FROM faults WHERE (@id IS NULL OR id = @id)
         AND (@workspace IS NULL OR rule ->> 'workspace_id' = @workspace)`,
    ),
  };
}

export class FaultTable {
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(db: Database.Database) {
    this.#statements = prepareStatements(db);
  }

  insert(row: FaultRow): void {
    this.#statements.insert.run(row);
  }

  find(id: string): FaultRow | undefined {
    return this.#statements.find.get(id);
  }

  /** All faults, oldest first. */
  listAll(): FaultRow[] {
    return this.#statements.listAll.all();
  }

  /** A page of the faults of one workspace or of all, newest first. */
  list(workspace: string | null, page: PageRequest): RowPage<FaultRow> {
    return readPage(page, (before, limit) => this.#statements.list.all({ before, workspace, limit }));
  }

  setFired(seq: number, fired: number): void {
    this.#statements.setFired.run(fired, seq);
  }

  /** Deletes the faults that match the arguments that are not null. @returns how many. */
  delete(id: string | null, workspaceId: string | null): number {
    return this.#statements.delete.run({ id, workspace: workspaceId }).changes;
  }
}

export function toFault({ id, rule, fired, created_at }: FaultRow): Fault {
  return { id, ...JSON.parse(rule), fired, created_at: new Date(created_at).toISOString() };
}
