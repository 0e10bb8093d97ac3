/** The table of settings. */
import type Database from 'better-sqlite3';

/** Key-value settings of the database itself, such as its environment and its id. */
export class SettingTable {
  readonly #get: Database.Statement<[string], string>;
  readonly #set: Database.Statement<[string, string]>;

  constructor(db: Database.Database) {
    this.#get = db.prepare<[string], string>('SELECT value FROM settings WHERE key = ?').pluck();
    this.#set = db.prepare('INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)');
  }

  find(key: string): string | undefined {
    return this.#get.get(key);
  }

  set(key: string, value: string): void {
    this.#set.run(key, value);
  }
}
