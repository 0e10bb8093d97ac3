import { expect, it, onTestFinished, vi } from 'vitest';
import { Sql } from '../../src/store/sql.ts';
import { Database } from '../support/sqlite.ts';

/** A table that only this test has. */
const NOTES = 'notes' as 'faults';
const insertNote = (sql: Sql, row: object) => sql.insert(NOTES, row as never);

it('a row without a value for a column of its table is not inserted', () => {
  const db = new Database(':memory:');
  onTestFinished(() => {
    db.close();
  });
  db.exec('CREATE TABLE notes (seq INTEGER PRIMARY KEY, text TEXT)');
  const sql = new Sql(db);
  expect(() => insertNote(sql, { seq: 1 })).toThrow('No value for notes.text.');
  insertNote(sql, { text: null, seq: 2 });
  expect(sql.all('SELECT * FROM notes')).toEqual([{ seq: 2, text: null }]);
});

it('an update writes each column of one row, and ignores other properties', () => {
  const { sql } = openNotes();
  const update = (row: object) => sql.update(NOTES, row as never);
  expect(() => update({ seq: 1 })).toThrow('No value for notes.text.');
  update({ seq: 1, text: 'c', workspace_id: 'ws_1' });
  update({ text: 'd', seq: 2 });
  expect(sql.all('SELECT * FROM notes')).toEqual([
    { seq: 1, text: 'c' },
    { seq: 2, text: 'd' },
  ]);
});

function openNotes() {
  const db = new Database(':memory:');
  onTestFinished(() => {
    db.close();
  });
  db.exec('CREATE TABLE notes (seq INTEGER PRIMARY KEY, text TEXT); CREATE TABLE settings (key TEXT)');
  const sql = new Sql(db);
  for (const [index, text] of ['a', 'b'].entries()) insertNote(sql, { seq: index + 1, text });
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
    insertNote(sql, { seq: i, text: '' });
  }
  expect(prepare).toHaveBeenCalledTimes(3);
});
