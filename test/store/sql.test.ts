import { expect, it, onTestFinished } from 'vitest';
import { Sql } from '../../src/store/sql.ts';
import { Database } from '../support/sqlite.ts';

it('a row without a value for a column of its table is not inserted', () => {
  const db = new Database(':memory:');
  onTestFinished(() => {
    db.close();
  });
  db.exec('CREATE TABLE notes (seq INTEGER PRIMARY KEY, text TEXT)');
  const sql = new Sql(db);
  expect(() => sql.insert('notes', { seq: 1 })).toThrow('No value for notes.text.');
  sql.insert('notes', { text: null, seq: 2 });
  expect(sql.all('SELECT * FROM notes')).toEqual([{ seq: 2, text: null }]);
});
