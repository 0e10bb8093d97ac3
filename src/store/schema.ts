/** What the database says of its own tables: found, not listed, so that none is forgotten when one more is made. */
import type Database from 'better-sqlite3';

export interface Column {
  readonly name: string;
  readonly type: string;
  /** Above 0 where it is the key. */
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

/** Those whose rows have a place in the order of all that happens. */
export function listSequencedTables(db: Database.Database): string[] {
  return listTableNames(db).filter((table) => listColumns(db, table).some(({ name }) => name === 'seq'));
}

export function listColumns(db: Database.Database, table: string): Column[] {
  return db.pragma(`main.table_info(${table})`) as Column[];
}
