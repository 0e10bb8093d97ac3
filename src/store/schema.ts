/** Reads table and column names from the database itself, so that code that handles all tables includes new ones. */
import type Database from 'better-sqlite3';

export interface Column {
  readonly name: string;
  readonly type: string;
  /** Above 0 for a primary key. */
  readonly pk: number;
}

export function listTableNames(db: Database.Database): string[] {
  return db
    .prepare<[], string>(
      `SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
    )
    .pluck()
    .all();
}

/** Lists the tables that have a `seq` column. */
export function listSequencedTables(db: Database.Database): string[] {
  return listTableNames(db).filter((table) => listColumns(db, table).some(({ name }) => name === 'seq'));
}

export function listColumns(db: Database.Database, table: string): Column[] {
  return db.pragma(`main.table_info(${table})`) as Column[];
}
