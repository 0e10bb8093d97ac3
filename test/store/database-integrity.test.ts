import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type BetterSqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { checkFileIntegrity, openDatabase } from '../../src/store/database.ts';
import { Database } from '../support/sqlite.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

/** The file of a database that was used and closed. */
function createDatabase(): string {
  const path = join(createTemporaryFolder(), 'sandbox.db');
  openDatabase({ path }).close();
  return path;
}

describe('checkFileIntegrity', () => {
  it('the file is not changed, and can be opened afterwards', () => {
    const path = createDatabase();
    const before = readFileSync(path);
    expect(checkFileIntegrity(path)?.size).toBe(before.length);
    expect(readFileSync(path).equals(before)).toBe(true);
    openDatabase({ path }).close();
  });

  it('a missing file gives null and is not created', () => {
    const path = join(createTemporaryFolder(), 'sandbox.db');
    expect(checkFileIntegrity(path)).toBeNull();
    expect(existsSync(path)).toBe(false);
  });

  it('the report describes damage', () => {
    const path = createDatabase();
    const db = new Database(path);
    const page = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'events'").pluck().get();
    db.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, (Number(page) - 1) * 4096, Number(page) * 4096);
    writeFileSync(path, bytes);
    expect(checkFileIntegrity(path)?.damage.length).toBeGreaterThan(0);
  });

  it('a database that is in use is refused', () => {
    const path = createDatabase();
    using _ = toDisposable(openDatabase({ path }));
    expect(() => checkFileIntegrity(path)).toThrow(expect.objectContaining({ code: 'database_in_use' }));
  });

  it.each([
    ['of another program', (path: string) => new Database(path).exec('CREATE TABLE a (b)').close()],
    [
      'with another schema',
      (path: string) => {
        openDatabase({ path }).close();
        new Database(path).exec('CREATE VIEW extra AS SELECT 1').close();
      },
    ],
    ['that is not a database', (path: string) => writeFileSync(path, 'text '.repeat(1000))],
  ])('a file %s is refused', (_, make) => {
    const path = join(createTemporaryFolder(), 'other.db');
    make(path);
    expect(() => checkFileIntegrity(path)).toThrow(expect.objectContaining({ code: 'database_unusable' }));
  });
});

function toDisposable(db: BetterSqlite.Database): Disposable {
  return { [Symbol.dispose]: () => db.close() };
}
