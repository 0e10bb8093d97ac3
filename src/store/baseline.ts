/**
 * The state that a reset restores: that of the start, of the last loaded snapshot, or of the last restored database file.
 *
 * Temporary triggers copy a row before its first change or deletion; rows that were added later are known by their `seq`.
 * The copies are in an attached temporary database, so commits to the file are not slower. SQLite moves that database to
 * the disk as it grows, so copies of a million deliveries use little memory.
 */
import type Database from 'better-sqlite3';
import { type Column, listColumns, listSequencedTables, listTableNames } from './sql.ts';

/** Memory for copied rows, in KiB. */
const CACHE_KIB = 2_000;

interface BaselineTable {
  readonly name: string;
  /** How it is restored: changed rows from their copies, all rows from a copy of the table, or by deleting all rows. */
  readonly restoredBy: 'rows' | 'copy' | 'empty';
}

export class Baseline {
  readonly #db: Database.Database;
  /** Null before the first {@link set}, which attaches the database of the copies. */
  #tables: readonly BaselineTable[] | null = null;
  #seq = 0;

  constructor(db: Database.Database) {
    this.#db = db;
  }

  /** The sequence of the newest row of the baseline. */
  get seq(): number {
    return this.#seq;
  }

  /** Makes the current state the baseline. @param seq the sequence of its newest row. */
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

  /** Restores the baseline. Call inside a transaction with foreign keys off. */
  restore(): void {
    for (const table of this.#tables ?? []) this.#db.exec(toRestoreStatements(table, this.#seq));
  }

  /** Drops the copies and triggers before all rows are replaced. {@link set} must be called after that. */
  clear(): void {
    for (const { name } of this.#tables ?? []) {
      for (const event of TRIGGER_EVENTS)
        this.#db.exec(`DROP TRIGGER IF EXISTS ${triggerNameOf(name, event)}`);
      this.#db.exec(`DROP TABLE IF EXISTS baseline.${backupTableOf(name)}`);
    }
  }

  #attach(): void {
    // So that INSERT OR REPLACE fires the delete triggers.
    this.#db.pragma('recursive_triggers = ON');
    // A database without a name is temporary. This setting, at the time of ATTACH, puts it on the disk.
    this.#db.pragma('temp_store = FILE');
    this.#db.exec(`ATTACH '' AS baseline`);
    this.#db.pragma('temp_store = MEMORY');
    this.#db.pragma('baseline.journal_mode = MEMORY');
    this.#db.pragma('baseline.synchronous = OFF');
    // A negative size is in KiB, not in pages.
    this.#db.pragma(`baseline.cache_size = -${CACHE_KIB}`);
  }
}

const TRIGGER_EVENTS = ['UPDATE', 'DELETE'] as const;

const backupTableOf = (table: string) => `baseline_${table}`;
const triggerNameOf = (table: string, event: string) => `temp.baseline_${table}_${event.toLowerCase()}`;

function listTables(db: Database.Database): BaselineTable[] {
  const sequenced = new Set(listSequencedTables(db));
  return listTableNames(db).map((name) => {
    if (!sequenced.has(name)) return { name, restoredBy: 'copy' };
    const hasRows = db.prepare<[], 0 | 1>(`SELECT EXISTS (SELECT 1 FROM main.${name})`).pluck().get() === 1;
    return { name, restoredBy: hasRows ? 'rows' : 'empty' };
  });
}

/** SQL that prepares a table for {@link Baseline.restore}. An empty table needs no triggers. */
function toSetStatements(
  { name, restoredBy }: BaselineTable,
  columns: readonly Column[],
  seq: number,
): string {
  const backup = backupTableOf(name);
  if (restoredBy === 'empty') return '';
  if (restoredBy === 'copy') return `CREATE TABLE baseline.${backup} AS SELECT * FROM main.${name};`;
  const definitions = columns.map((column) =>
    column.pk ? `${column.name} ${column.type} PRIMARY KEY` : column.name,
  );
  const key = columns.find(({ pk }) => pk > 0)?.name;
  const values = columns.map((column) => `OLD.${column.name}`).join(', ');
  // Only the first change is copied. The condition, unlike INSERT OR IGNORE, does not depend on the statement that fires the trigger.
  const triggers = TRIGGER_EVENTS.map(
    (event) => `CREATE TRIGGER ${triggerNameOf(name, event)} AFTER ${event} ON main.${name}
      WHEN OLD.seq <= ${seq} AND NOT EXISTS (SELECT 1 FROM ${backup} WHERE ${key} = OLD.${key})
      BEGIN INSERT INTO ${backup} VALUES (${values}); END;`,
  );
  return [`CREATE TABLE baseline.${backup} (${definitions.join(', ')});`, ...triggers].join('\n');
}

function toRestoreStatements({ name, restoredBy }: BaselineTable, seq: number): string {
  if (restoredBy === 'empty') return `DELETE FROM main.${name};`;
  const restoreRows = `INSERT OR REPLACE INTO main.${name} SELECT * FROM baseline.${backupTableOf(name)};`;
  if (restoredBy === 'copy') return `DELETE FROM main.${name}; ${restoreRows}`;
  return `DELETE FROM main.${name} WHERE seq > ${seq}; ${restoreRows} DELETE FROM baseline.${backupTableOf(name)};`;
}
