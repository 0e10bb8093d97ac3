/** The table of workspaces and their clocks. */
import type Database from 'better-sqlite3';
import type { Workspace } from '../contract/resources.ts';
import type { ScheduleClockState } from '../domain/clock.ts';
import type { Environment } from '../domain/environment.ts';
import { type PageRequest, type RowPage, toPage, upperBound } from './row-page.ts';

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

export class WorkspaceTable {
  readonly #insert: Database.Statement<[WorkspaceRow]>;
  readonly #byId: Database.Statement<[string], WorkspaceRow>;
  readonly #bySeq: Database.Statement<[number], WorkspaceRow>;
  readonly #page: Database.Statement<[number, number], WorkspaceRow>;
  readonly #oldest: Database.Statement<[], WorkspaceRow>;
  readonly #newestId: Database.Statement<[], string>;
  readonly #all: Database.Statement<[], WorkspaceRow>;
  readonly #setClock: Database.Statement<[number, number, number, 0 | 1, number]>;

  constructor(db: Database.Database) {
    this.#insert = db.prepare(
      `INSERT INTO workspaces (seq, id, name, created_at, clock_at, clock_wall_at, clock_speed, clock_frozen)
       VALUES (@seq, @id, @name, @created_at, @clock_at, @clock_wall_at, @clock_speed, @clock_frozen)`,
    );
    this.#byId = db.prepare('SELECT * FROM workspaces WHERE id = ?');
    this.#bySeq = db.prepare('SELECT * FROM workspaces WHERE seq = ?');
    this.#page = db.prepare('SELECT * FROM workspaces WHERE seq < ? ORDER BY seq DESC LIMIT ?');
    this.#oldest = db.prepare('SELECT * FROM workspaces ORDER BY seq LIMIT 1');
    this.#newestId = db.prepare<[], string>('SELECT id FROM workspaces ORDER BY seq DESC LIMIT 1').pluck();
    this.#all = db.prepare('SELECT * FROM workspaces ORDER BY seq');
    this.#setClock = db.prepare(
      'UPDATE workspaces SET clock_at = ?, clock_wall_at = ?, clock_speed = ?, clock_frozen = ? WHERE seq = ?',
    );
  }

  insert(row: WorkspaceRow): void {
    this.#insert.run(row);
  }

  find(id: string): WorkspaceRow | undefined {
    return this.#byId.get(id);
  }

  findBySeq(seq: number): WorkspaceRow | undefined {
    return this.#bySeq.get(seq);
  }

  /** The workspace that the first start created. */
  findOldest(): WorkspaceRow | undefined {
    return this.#oldest.get();
  }

  findNewestId(): string | undefined {
    return this.#newestId.get();
  }

  list(page: PageRequest): RowPage<WorkspaceRow> {
    return toPage(this.#page.all(upperBound(page), page.limit + 1), page.limit);
  }

  listAll(): WorkspaceRow[] {
    return this.#all.all();
  }

  setClock(seq: number, state: ScheduleClockState): void {
    const { at, wallAt, speed, frozen } = state;
    this.#setClock.run(at, wallAt, speed, frozen ? 1 : 0, seq);
  }
}

export function toClockState(row: WorkspaceRow): ScheduleClockState {
  const { clock_at: at, clock_wall_at: wallAt, clock_speed: speed, clock_frozen } = row;
  return { at, wallAt, speed, frozen: clock_frozen === 1 };
}

export function toWorkspace(row: WorkspaceRow, environment: Environment): Workspace {
  return { id: row.id, name: row.name, environment, created_at: new Date(row.created_at).toISOString() };
}
