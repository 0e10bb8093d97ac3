import { expect, it, onTestFinished, vi } from 'vitest';
import { Sql } from '../../src/store/sql.ts';
import { Database } from '../support/sqlite.ts';

const insertSetting = (sql: Sql, row: object) => sql.insert('settings', row as never);

it('a row is inserted by the names of its columns', () => {
  const { sql } = openNotes();
  insertSetting(sql, { value: 'b', key: 'a', other: 1 });
  expect(sql.all('SELECT * FROM settings')).toEqual([{ key: 'a', value: 'b' }]);
});

it('an update writes each column of one row, and ignores other properties', () => {
  const { sql } = openNotes();
  const row = { seq: 1, id: 'flt_1', rule: '{}', applied_count: 0, created_at: 1 };
  sql.insert('faults', row);
  sql.insert('faults', { ...row, seq: 2 });
  sql.update('faults', { ...row, rule: '[]', workspace_id: 'ws_1' } as never);
  expect(sql.all('SELECT rule FROM faults')).toEqual([{ rule: '[]' }, { rule: '{}' }]);
});

function openNotes() {
  const db = new Database(':memory:');
  onTestFinished(() => {
    db.close();
  });
  db.exec(
    'CREATE TABLE notes (seq INTEGER PRIMARY KEY, text TEXT); CREATE TABLE settings (key TEXT, value TEXT)',
  );
  db.exec(
    'CREATE TABLE faults (seq INTEGER PRIMARY KEY, id TEXT, rule TEXT, applied_count INTEGER, created_at INTEGER)',
  );
  const sql = new Sql(db);
  db.exec(`INSERT INTO notes VALUES (1, 'a'), (2, 'b')`);
  return { db, sql };
}

it('rows, values and parameters have every form that queries use', () => {
  const { sql } = openNotes();
  const [first, second] = [
    { seq: 1, text: 'a' },
    { seq: 2, text: 'b' },
  ];
  expect(sql.get('SELECT * FROM notes WHERE seq = ?', [2])).toStrictEqual(second);
  expect(sql.get('SELECT * FROM notes WHERE seq = @seq', { seq: 2 })).toStrictEqual(second);
  expect(sql.get('SELECT * FROM notes WHERE seq = 3')).toBeUndefined();
  expect(sql.all('SELECT * FROM notes')).toStrictEqual([first, second]);
  expect(sql.value('SELECT text FROM notes WHERE seq = ?', [2])).toBe('b');
  expect(sql.values('SELECT text FROM notes')).toEqual(['a', 'b']);
  expect(sql.run('UPDATE notes SET text = ? WHERE seq > ?', ['c', 0]).changes).toBe(2);
});

it('each statement is prepared once', () => {
  const { db, sql } = openNotes();
  const prepare = vi.spyOn(db, 'prepare');
  for (let i = 0; i < 3; i++) {
    sql.all('SELECT * FROM notes');
    sql.value('SELECT count(*) FROM notes');
    sql.run('DELETE FROM notes');
    insertSetting(sql, { key: String(i), value: '' });
  }
  expect(prepare).toHaveBeenCalledTimes(4);
});
