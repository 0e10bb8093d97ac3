/** The state that a reset restores, that of the start or of the last loaded snapshot: a copy of all rows. */
import type Database from 'better-sqlite3';
import { copyRows, listStateTables } from './copy-rows.ts';

/** Memory for the copy, in KiB. SQLite writes the rest to the disk. */
const CACHE_KIB = 2_000;

export class Baseline {
  readonly #db: Database.Database;

  constructor(db: Database.Database) {
    this.#db = db;
    // A database without a name is temporary. This setting, at the time of ATTACH, puts it on the disk.
    db.pragma('temp_store = FILE');
    db.exec(`ATTACH '' AS baseline`);
    db.pragma('temp_store = MEMORY');
    db.pragma('baseline.journal_mode = MEMORY');
    db.pragma('baseline.synchronous = OFF');
    // A negative size is in KiB, not in pages.
    db.pragma(`baseline.cache_size = -${CACHE_KIB}`);
  }

  /** Makes the current state the baseline. */
  set(): void {
    this.#db.transaction(() => {
      for (const table of listStateTables(this.#db)) {
        this.#db.exec(
          `DROP TABLE IF EXISTS baseline.${table};
           CREATE TABLE baseline.${table} AS SELECT * FROM main.${table};`,
        );
      }
    })();
  }

  /** Replaces all rows by those of the baseline. Call inside a transaction with foreign keys off, after {@link set}. */
  restore(): void {
    copyRows(this.#db, 'baseline', 'main');
  }
}
