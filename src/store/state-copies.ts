/** Copies the state between two databases of a connection: for the baseline of a reset, and from a snapshot. */
import type Database from 'better-sqlite3';
import { tables } from './schema.ts';

/** Memory for the baseline, in KiB. SQLite writes the rest to the disk. */
const BASELINE_CACHE_KIB = 2_000;

/** The tables of the state: all except the settings of the database itself. */
export const stateTables = Object.keys(tables).filter((name) => name !== 'settings');

/** Replaces all rows of the state by those in the attached database `from`, or by none. Call inside a transaction with foreign keys off. */
export function replaceRows(db: Database.Database, from: string | null): void {
  for (const table of stateTables) {
    db.exec(`DELETE FROM main.${table}`);
    if (from !== null) db.exec(`INSERT INTO main.${table} SELECT * FROM ${from}.${table}`);
  }
}

/** Attaches an empty database for {@link setBaseline}. */
export function attachBaseline(db: Database.Database): void {
  // A database without a name is temporary. This setting, at the time of ATTACH, puts it on the disk.
  db.pragma('temp_store = FILE');
  db.exec(`ATTACH '' AS baseline`);
  db.pragma('temp_store = MEMORY');
  db.pragma('baseline.journal_mode = MEMORY');
  db.pragma('baseline.synchronous = OFF');
  // A negative size is in KiB, not in pages.
  db.pragma(`baseline.cache_size = -${BASELINE_CACHE_KIB}`);
}

/** Makes the current state the one that a reset restores, with {@link replaceRows}. */
export function setBaseline(db: Database.Database): void {
  db.transaction(() => {
    for (const table of stateTables) {
      db.exec(
        `DROP TABLE IF EXISTS baseline.${table};
         CREATE TABLE baseline.${table} AS SELECT * FROM main.${table};`,
      );
    }
  })();
}
