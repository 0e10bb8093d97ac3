/** Copies the state between two databases of a connection: for the baseline of a reset, and from a snapshot. */
import type Database from 'better-sqlite3';
import { listColumns, listTableNames } from './sql.ts';

/** The tables of the state: all except the settings of the database itself. */
export function listStateTables(db: Database.Database): string[] {
  return listTableNames(db).filter((name) => name !== 'settings');
}

/**
 * Replaces all rows of the state in the database `to` by those in `from`. Call inside a transaction with foreign keys off.
 * @param seqOffset number to add to each sequence
 */
export function copyRows(db: Database.Database, from: string, to: string, seqOffset = 0): void {
  for (const table of listStateTables(db)) {
    const columns = listColumns(db, table).map(({ name }) => name);
    // `seq`, and references such as `event_seq`.
    const values = columns.map((name) => (/(?:^|_)seq$/.test(name) ? `${name} + ${seqOffset}` : name));
    db.exec(
      `DELETE FROM ${to}.${table};
       INSERT INTO ${to}.${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${from}.${table};`,
    );
  }
}
