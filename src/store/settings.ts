/** The table of settings. */
import type Database from 'better-sqlite3';

/** Key-value settings of the database itself, such as its environment and its id. */
export class SettingTable {
  readonly #find: Database.Statement<[string], string>;
  readonly #set: Database.Statement<[string, string]>;
  readonly #delete: Database.Statement<[string]>;

  constructor(db: Database.Database) {
    this.#find = db.prepare<[string], string>('SELECT value FROM settings WHERE key = ?').pluck();
    this.#set = db.prepare('INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)');
    this.#delete = db.prepare('DELETE FROM settings WHERE key = ?');
  }

  find(key: string): string | undefined {
    return this.#find.get(key);
  }

  set(key: string, value: string): void {
    this.#set.run(key, value);
  }

  delete(key: string): void {
    this.#delete.run(key);
  }
}
