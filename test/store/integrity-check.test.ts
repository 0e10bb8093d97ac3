import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type BetterSqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/store/database.ts';
import { checkFileIntegrity } from '../../src/store/integrity-check.ts';
import { migrations } from '../../src/store/migrations.ts';
import { Database } from '../support/sqlite.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

/** The file of a database that was used and closed. */
function createDatabase(): string {
  const path = join(createTemporaryFolder(), 'sandbox.db');
  openDatabase({ path }).close();
  return path;
}

describe('the state of a database file', () => {
  it('is its size, its schema and what is damaged', () => {
    expect(checkFileIntegrity(createDatabase())).toEqual({
      sizeBytes: expect.any(Number),
      schemaVersion: migrations.length,
      newestSchemaVersion: migrations.length,
      damage: [],
    });
  });

  it('is nothing where there is no file, and none is made', () => {
    const path = join(createTemporaryFolder(), 'sandbox.db');
    expect(checkFileIntegrity(path)).toBeNull();
    expect(existsSync(path)).toBe(false);
  });

  it('shows damage', () => {
    const path = createDatabase();
    const db = new Database(path);
    const page = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'events'").pluck().get();
    db.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, (Number(page) - 1) * 4096, Number(page) * 4096);
    writeFileSync(path, bytes);
    expect(checkFileIntegrity(path)?.damage.length).toBeGreaterThan(0);
  });

  it('cannot be had while somebody uses it', () => {
    const path = createDatabase();
    using _ = toDisposable(openDatabase({ path }));
    expect(() => checkFileIntegrity(path)).toThrow(expect.objectContaining({ code: 'database_in_use' }));
  });

  it.each([
    ['of another program', (path: string) => new Database(path).exec('CREATE TABLE a (b)').close()],
    ['that is no database', (path: string) => writeFileSync(path, 'text '.repeat(1000))],
  ])('is not that of a file %s', (_, make) => {
    const path = join(createTemporaryFolder(), 'other.db');
    make(path);
    expect(() => checkFileIntegrity(path)).toThrow(expect.objectContaining({ code: 'database_unusable' }));
  });
});

function toDisposable(db: BetterSqlite.Database): Disposable {
  return { [Symbol.dispose]: () => db.close() };
}
