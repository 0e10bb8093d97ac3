/** The table of settings about the database itself, such as its environment and its ID. */
import { Table } from './sql.ts';

export class SettingTable extends Table {
  find(key: string): string | undefined {
    return this.sql.value('SELECT value FROM settings WHERE key = ?', [key]);
  }

  set(key: string, value: string): void {
    this.sql.run('INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)', [key, value]);
  }
}
