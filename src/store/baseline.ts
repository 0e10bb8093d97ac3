/** The state that a reset restores, that of the start or of the last loaded snapshot: a copy of all rows. */
import type Database from 'better-sqlite3';
import { copyRows, listStateTables } from './copy-rows.ts';

/** Memory for the copy, in KiB. SQLite writes the rest to the disk. */
const CACHE_KIB = 2_000;

export class Baseline {
  readonly #db: Database.Database;
  #isAttached = false;

  constructor(db: Database.Database) {
    this.#db = db;
  }

  /** Makes the current state the baseline. */
  set(): void {
    if (!this.#isAttached) this.#attach();
    this.#db.transaction(() => copyRows(this.#db, 'main', 'baseline'))();
  }

  /** Replaces all rows by those of the baseline. Call inside a transaction with foreign keys off, after {@link set}. */
  restore(): void {
    copyRows(this.#db, 'baseline', 'main');
  }

  #attach(): void {
    // A database without a name is temporary. This setting, at the time of ATTACH, puts it on the disk.
    this.#db.pragma('temp_store = FILE');
    this.#db.exec(`ATTACH '' AS baseline`);
    this.#db.pragma('temp_store = MEMORY');
    this.#db.pragma('baseline.journal_mode = MEMORY');
    this.#db.pragma('baseline.synchronous = OFF');
    // A negative size is in KiB, not in pages.
    this.#db.pragma(`baseline.cache_size = -${CACHE_KIB}`);
    for (const table of listStateTables(this.#db)) {
      this.#db.exec(`CREATE TABLE baseline.${table} AS SELECT * FROM main.${table} WHERE FALSE`);
    }
    this.#isAttached = true;
  }
}
