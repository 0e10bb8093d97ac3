/** The table of injected faults. */
import type Database from 'better-sqlite3';
import type { Fault } from '../contract/fault-schemas.ts';
import { type PageRequest, type RowPage, toPage, upperBound } from './row-page.ts';

export interface FaultRow {
  readonly seq: number;
  readonly id: string;
  /** A `FaultRule` as JSON. */
  readonly rule: string;
  readonly fired: number;
  readonly created_at: number;
}

export class FaultTable {
  readonly #insert: Database.Statement<[FaultRow]>;
  readonly #byId: Database.Statement<[string], FaultRow>;
  readonly #all: Database.Statement<[], FaultRow>;
  readonly #page: Database.Statement<[{ before: number; workspace: string | null; limit: number }], FaultRow>;
  readonly #setFired: Database.Statement<[number, number]>;
  readonly #delete: Database.Statement<[{ id: string | null; workspace: string | null }]>;

  constructor(db: Database.Database) {
    this.#insert = db.prepare(
      'INSERT INTO faults (seq, id, rule, fired, created_at) VALUES (@seq, @id, @rule, @fired, @created_at)',
    );
    this.#byId = db.prepare('SELECT * FROM faults WHERE id = ?');
    this.#all = db.prepare('SELECT * FROM faults ORDER BY seq');
    this.#page = db.prepare(
      `SELECT * FROM faults WHERE seq < @before
         AND (@workspace IS NULL OR rule ->> 'workspace_id' = @workspace)
       ORDER BY seq DESC LIMIT @limit`,
    );
    this.#setFired = db.prepare('UPDATE faults SET fired = ? WHERE seq = ?');
    this.#delete = db.prepare(
      `DELETE FROM faults WHERE (@id IS NULL OR id = @id)
         AND (@workspace IS NULL OR rule ->> 'workspace_id' = @workspace)`,
    );
  }

  insert(row: FaultRow): void {
    this.#insert.run(row);
  }

  find(id: string): FaultRow | undefined {
    return this.#byId.get(id);
  }

  /** Oldest first. */
  listAll(): FaultRow[] {
    return this.#all.all();
  }

  /** A page of the faults of one workspace or of all, newest first. */
  list(workspaceId: string | null, page: PageRequest): RowPage<FaultRow> {
    const { limit } = page;
    const rows = this.#page.all({ before: upperBound(page), workspace: workspaceId, limit: limit + 1 });
    return toPage(rows, limit);
  }

  setFired(seq: number, fired: number): void {
    this.#setFired.run(fired, seq);
  }

  /** Deletes the faults that match the arguments that are not null. @returns how many. */
  delete(id: string | null, workspaceId: string | null): number {
    return this.#delete.run({ id, workspace: workspaceId }).changes;
  }
}

export function toFault({ id, rule, fired, created_at: createdAt }: FaultRow): Fault {
  return { id, ...JSON.parse(rule), fired, created_at: new Date(createdAt).toISOString() };
}
