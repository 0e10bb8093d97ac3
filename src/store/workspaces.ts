/** The table of workspaces and their clocks. */
import type Database from 'better-sqlite3';
import type { Workspace } from '../contract/resources.ts';
import type { ScheduleClockState } from '../domain/clock.ts';
import type { Environment } from '../domain/credentials.ts';
import { type PageRequest, type RowPage, readPage } from './row-page.ts';
import { prepareInsert } from './schema.ts';

export interface WorkspaceRow {
  readonly seq: number;
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  readonly clock_at: number;
  readonly clock_wall_at: number;
  readonly clock_speed: number;
  readonly clock_frozen: 0 | 1;
}

function prepareStatements(db: Database.Database) {
  return {
    insert: prepareInsert<WorkspaceRow>(db, 'workspaces'),
    find: db.prepare<[string], WorkspaceRow>('SELECT * FROM workspaces WHERE id = ?'),
    findBySeq: db.prepare<[number], WorkspaceRow>('SELECT * FROM workspaces WHERE seq = ?'),
    list: db.prepare<[number, number], WorkspaceRow>(
      'SELECT * FROM workspaces WHERE seq < ? ORDER BY seq DESC LIMIT ?',
    ),
    findOldest: db.prepare<[], WorkspaceRow>('SELECT * FROM workspaces ORDER BY seq LIMIT 1'),
    findNewestId: db.prepare<[], string>('SELECT id FROM workspaces ORDER BY seq DESC LIMIT 1').pluck(),
    listAll: db.prepare<[], WorkspaceRow>('SELECT * FROM workspaces ORDER BY seq'),
    setClock: db.prepare<[number, number, number, 0 | 1, number]>(
      'UPDATE workspaces SET clock_at = ?, clock_wall_at = ?, clock_speed = ?, clock_frozen = ? WHERE seq = ?',
    ),
  };
}

export class WorkspaceTable {
  readonly #statements: ReturnType<typeof prepareStatements>;

  constructor(db: Database.Database) {
    this.#statements = prepareStatements(db);
  }

  insert(row: WorkspaceRow): void {
    this.#statements.insert.run(row);
  }

  find(id: string): WorkspaceRow | undefined {
    return this.#statements.find.get(id);
  }

  findBySeq(seq: number): WorkspaceRow | undefined {
    return this.#statements.findBySeq.get(seq);
  }

  /** The workspace that the first start created. */
  findOldest(): WorkspaceRow | undefined {
    return this.#statements.findOldest.get();
  }

  findNewestId(): string | undefined {
    return this.#statements.findNewestId.get();
  }

  list(page: PageRequest): RowPage<WorkspaceRow> {
    return readPage(page, (before, limit) => this.#statements.list.all(before, limit));
  }

  listAll(): WorkspaceRow[] {
    return this.#statements.listAll.all();
  }

  setClock(seq: number, state: ScheduleClockState): void {
    const { at, wallAt, speed, frozen } = state;
    this.#statements.setClock.run(at, wallAt, speed, frozen ? 1 : 0, seq);
  }
}

export function toClockState(row: WorkspaceRow): ScheduleClockState {
  const { clock_at: at, clock_wall_at: wallAt, clock_speed: speed, clock_frozen } = row;
  return { at, wallAt, speed, frozen: clock_frozen === 1 };
}

export function toWorkspace(row: WorkspaceRow, environment: Environment): Workspace {
  return { id: row.id, name: row.name, environment, created_at: new Date(row.created_at).toISOString() };
}
