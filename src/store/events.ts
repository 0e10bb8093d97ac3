/** The table of events. */
import type Database from 'better-sqlite3';
import { extractEventRecord } from '../domain/event.ts';
import { type PageRequest, type RowPage, toPage, upperBound } from './row-page.ts';

export interface EventRow {
  readonly seq: number;
  readonly id: string;
  readonly workspace_seq: number;
  readonly type: string;
  readonly created_at: number;
  /** JSON text of the envelope that every delivery sends. It contains the event record. */
  readonly envelope: string;
}

type EventWithWorkspace = EventRow & { readonly workspace_id: string };

const SELECT_WITH_WORKSPACE =
  'SELECT e.*, w.id AS workspace_id FROM events e JOIN workspaces w ON w.seq = e.workspace_seq';
const PAGE = 'AND e.seq < ? ORDER BY e.seq DESC LIMIT ?';

export class EventTable {
  readonly #insert: Database.Statement<[number, string, number, string, number, string]>;
  readonly #byId: Database.Statement<[string], EventWithWorkspace>;
  readonly #page: Database.Statement<[number, number, number], EventWithWorkspace>;
  readonly #pageOfType: Database.Statement<[number, string, number, number], EventWithWorkspace>;
  readonly #newestId: Database.Statement<[number], string>;

  constructor(db: Database.Database) {
    this.#insert = db.prepare(
      'INSERT INTO events (seq, id, workspace_seq, type, created_at, envelope) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#byId = db.prepare(`${SELECT_WITH_WORKSPACE} WHERE e.id = ?`);
    this.#page = db.prepare(`${SELECT_WITH_WORKSPACE} WHERE e.workspace_seq = ? ${PAGE}`);
    this.#pageOfType = db.prepare(
      `${SELECT_WITH_WORKSPACE} WHERE e.workspace_seq = ? AND e.type = ? ${PAGE}`,
    );
    this.#newestId = db
      .prepare<[number], string>('SELECT id FROM events WHERE workspace_seq = ? ORDER BY seq DESC LIMIT 1')
      .pluck();
  }

  insert(row: EventRow): void {
    this.#insert.run(row.seq, row.id, row.workspace_seq, row.type, row.created_at, row.envelope);
  }

  find(id: string): EventWithWorkspace | undefined {
    return this.#byId.get(id);
  }

  findNewestId(workspaceSeq: number): string | undefined {
    return this.#newestId.get(workspaceSeq);
  }

  /** Events of a workspace, newest first, optionally of one type (decisions `list.order`, `list.filter`). */
  list(workspaceSeq: number, type: string | null, page: PageRequest): RowPage<EventWithWorkspace> {
    const rows =
      type === null
        ? this.#page.all(workspaceSeq, upperBound(page), page.limit + 1)
        : this.#pageOfType.all(workspaceSeq, type, upperBound(page), page.limit + 1);
    return toPage(rows, page.limit);
  }
}

/** The event record as JSON text: a slice of the stored envelope. */
export function toEventRecordText(row: EventWithWorkspace): string {
  return extractEventRecord(row.envelope, {
    type: row.type,
    workspaceId: row.workspace_id,
    createdAt: row.created_at,
  });
}
