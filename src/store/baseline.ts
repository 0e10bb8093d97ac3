/**
 * The state that a store can be brought back to: that after boot, or after a snapshot was loaded.
 *
 * Triggers keep what a row was before it is first changed or removed; what came later is known by its `seq`. Both are
 * temporary and stand beside the file, which is none the slower to commit. What they keep is in a database of its own
 * that SQLite moves to the disk as it grows: a million deliveries that were pending at boot cost no memory.
 */
import type Database from 'better-sqlite3';
import { type Column, listColumns, listSequencedTables, listTableNames } from './schema.ts';

/** Memory that what was kept may take, in KiB. */
const CACHE_KIB = 2_000;

interface Table {
  readonly name: string;
  /** How it is brought back: rows of before from what was kept, the whole of it from a copy, or by emptying it. */
  readonly way: 'rows' | 'copy' | 'empty';
}

export class Baseline {
  readonly #db: Database.Database;
  #tables: readonly Table[] | null = null;
  #seq = 0;

  constructor(db: Database.Database) {
    this.#db = db;
  }

  /** The place of the newest thing that had happened. */
  get seq(): number {
    return this.#seq;
  }

  /** Makes the present state the one to come back to, `seq` being the place of its newest row. */
  set(seq: number): void {
    if (this.#tables === null) this.#attach();
    this.clear();
    const tables = listTables(this.#db);
    this.#db.exec(
      tables.map((table) => toSetStatements(table, listColumns(this.#db, table.name), seq)).join('\n'),
    );
    this.#tables = tables;
    this.#seq = seq;
  }

  /** Brings that state back. Inside a transaction that checks no foreign keys. */
  restore(): void {
    for (const table of this.#tables ?? []) this.#db.exec(toRestoreStatements(table, this.#seq));
  }

  /** Keeps nothing any more, until it is set anew: for what replaces every row. */
  clear(): void {
    for (const { name } of this.#tables ?? []) {
      for (const event of EVENTS) this.#db.exec(`DROP TRIGGER IF EXISTS ${triggerNameOf(name, event)}`);
      this.#db.exec(`DROP TABLE IF EXISTS baseline.${backupTableOf(name)}`);
    }
  }

  #attach(): void {
    // A row that gives way to another counts as removed.
    this.#db.pragma('recursive_triggers = ON');
    // Without a name it is temporary; with this setting at that moment, on the disk.
    this.#db.pragma('temp_store = FILE');
    this.#db.exec(`ATTACH '' AS baseline`);
    this.#db.pragma('temp_store = MEMORY');
    this.#db.pragma('baseline.journal_mode = MEMORY');
    this.#db.pragma('baseline.synchronous = OFF');
    this.#db.pragma(`baseline.cache_size = -${CACHE_KIB}`);
  }
}

const EVENTS = ['UPDATE', 'DELETE'] as const;

const backupTableOf = (table: string) => `baseline_${table}`;
const triggerNameOf = (table: string, event: string) => `temp.baseline_${table}_${event.toLowerCase()}`;

function listTables(db: Database.Database): Table[] {
  const sequenced = new Set(listSequencedTables(db));
  return listTableNames(db).map((name) => {
    if (!sequenced.has(name)) return { name, way: 'copy' };
    const hasRows = db.prepare<[], 0 | 1>(`SELECT EXISTS (SELECT 1 FROM main.${name})`).pluck().get() === 1;
    return { name, way: hasRows ? 'rows' : 'empty' };
  });
}

/** What keeps a table, as SQL. A table without rows has nothing to lose, and its rows to come pay for no trigger. */
function toSetStatements({ name, way }: Table, columns: readonly Column[], seq: number): string {
  const kept = backupTableOf(name);
  if (way === 'empty') return '';
  if (way === 'copy') return `CREATE TABLE baseline.${kept} AS SELECT * FROM main.${name};`;
  const definitions = columns.map((column) =>
    column.pk ? `${column.name} ${column.type} PRIMARY KEY` : column.name,
  );
  const key = columns.find(({ pk }) => pk > 0)?.name;
  const values = columns.map((column) => `OLD.${column.name}`).join(', ');
  // Only what was first: the condition holds whatever the statement that fires it does about conflicts.
  const triggers = EVENTS.map(
    (event) => `CREATE TRIGGER ${triggerNameOf(name, event)} AFTER ${event} ON main.${name}
      WHEN OLD.seq <= ${seq} AND NOT EXISTS (SELECT 1 FROM ${kept} WHERE ${key} = OLD.${key})
      BEGIN INSERT INTO ${kept} VALUES (${values}); END;`,
  );
  return [`CREATE TABLE baseline.${kept} (${definitions.join(', ')});`, ...triggers].join('\n');
}

function toRestoreStatements({ name, way }: Table, seq: number): string {
  if (way === 'empty') return `DELETE FROM main.${name};`;
  const putBack = `INSERT OR REPLACE INTO main.${name} SELECT * FROM baseline.${backupTableOf(name)};`;
  if (way === 'copy') return `DELETE FROM main.${name}; ${putBack}`;
  return `DELETE FROM main.${name} WHERE seq > ${seq}; ${putBack} DELETE FROM baseline.${backupTableOf(name)};`;
}
