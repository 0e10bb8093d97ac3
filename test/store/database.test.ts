import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type BetterSqlite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SvcError } from '../../src/domain/errors.ts';
import {
  isStorageError,
  openDatabase,
  SNAPSHOT_APPLICATION_ID,
  toStoreError,
} from '../../src/store/database.ts';
import { Database, driverFolder } from '../support/sqlite.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

function open(path: string) {
  const db = openDatabase({ path });
  onTestFinished(() => {
    db.close();
  });
  return db;
}

const file = () => join(createTemporaryFolder(), 'sandbox.db');
const pragma = (db: BetterSqlite.Database, name: string) => db.pragma(name, { simple: true });
const refusal = (path: string) => {
  try {
    open(path);
    return null;
  } catch (error) {
    return error;
  }
};

describe('openDatabase with a new file', () => {
  it('a new database uses a write-ahead log that is flushed at every commit, to survive a power cut', () => {
    const db = open(file());
    expect(pragma(db, 'journal_mode')).toBe('wal');
    expect(pragma(db, 'synchronous')).toBe(2);
    expect(pragma(db, 'foreign_keys')).toBe(1);
    expect(pragma(db, 'locking_mode')).toBe('exclusive');
    expect(pragma(db, 'temp_store')).toBe(2);
    expect(pragma(db, 'trusted_schema')).toBe(0);
  });

  it('openDatabase creates missing folders', () => {
    const path = join(createTemporaryFolder(), 'a', 'b', 'sandbox.db');
    open(path);
    expect(existsSync(path)).toBe(true);
  });

  it.skipIf(process.platform === 'win32')(
    'a new database and its log are readable only by their owner [files.database-mode]',
    () => {
      const path = file();
      open(path);
      const modes = [path, `${path}-wal`].map((file) => statSync(file).mode & 0o777);
      expect(modes).toEqual([0o600, 0o600]);
    },
  );

  it.skipIf(process.platform === 'win32')(
    'new folders are not writable by others, whatever the umask',
    () => {
      const folder = join(createTemporaryFolder(), 'new');
      const umask = process.umask(0);
      onTestFinished(() => void process.umask(umask));
      open(join(folder, 'sandbox.db'));
      expect(statSync(folder).mode & 0o777).toBe(0o755);
    },
  );
});

describe('openDatabase with an existing file', () => {
  it('openDatabase keeps the rows of an existing database', () => {
    const path = file();
    const first = openDatabase({ path });
    first.exec("INSERT INTO settings VALUES ('a', '1')");
    const schema = first.prepare('SELECT sql FROM sqlite_schema').all();
    first.close();
    const again = open(path);
    expect(again.prepare('SELECT value FROM settings').pluck().get()).toBe('1');
    expect(again.prepare('SELECT sql FROM sqlite_schema').all()).toEqual(schema);
  });

  it.each(['new', 'existing'])(
    'openDatabase refuses a database that another emulator has open as a %s file, in this process or another one [storage.lock]',
    (kind) => {
      const path = file();
      if (kind === 'existing') openDatabase({ path }).close();
      open(path);
      expect(refusal(path)).toMatchObject({
        code: 'database_in_use',
        message: `${path} is in use by another process.`,
        hint: { text: 'Choose another database file, or end the process that uses this one.' },
      });
      const script = `new (require(${JSON.stringify(driverFolder)}))(process.argv[1], { timeout: 0 }).pragma('user_version')`;
      const child = spawnSync(process.execPath, ['-e', script, path], { encoding: 'utf8' });
      expect(child.stderr).toContain('SQLITE_BUSY');
    },
  );

  it.each([
    [
      'a trigger',
      'CREATE TRIGGER extra AFTER INSERT ON events BEGIN UPDATE webhooks SET url = NEW.type; END',
    ],
    ['a view', 'CREATE VIEW extra AS SELECT 1'],
    ['a table more', 'CREATE TABLE extra (a)'],
    ['a table less', 'DROP TABLE faults'],
    ['a column more', 'ALTER TABLE events ADD COLUMN extra TEXT'],
    ['an index less', 'DROP INDEX deliveries_due'],
    [
      'another type of a table',
      "UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '') WHERE name = 'events'",
    ],
  ])(
    'openDatabase refuses a database whose schema has %s, and does not change it [storage.schema]',
    (_, sql) => {
      const path = file();
      openDatabase({ path }).close();
      const changed = new Database(path);
      changed.unsafeMode();
      changed.pragma('writable_schema = ON');
      changed.exec(sql);
      changed.close();
      const before = readFileSync(path);
      expect(refusal(path)).toMatchObject({
        code: 'database_unusable',
        message: `${path} has other tables, indexes, views or triggers than a database of this version of svc.`,
      });
      expect(readFileSync(path).equals(before)).toBe(true);
    },
  );

  it.each([
    ['tables', 'CREATE TABLE theirs (a)'],
    ['a name in its header', 'PRAGMA application_id = 252006'],
  ])(
    'openDatabase refuses a database whose %s are those of another program, and does not change it',
    (_, sql) => {
      const path = file();
      const foreignDb = new Database(path);
      foreignDb.exec(sql);
      foreignDb.close();
      const before = readFileSync(path);
      expect(refusal(path)).toMatchObject({
        code: 'database_unusable',
        message: `${path} is the SQLite database of another program.`,
      });
      expect(readFileSync(path).equals(before)).toBe(true);
      expect(existsSync(`${path}-wal`)).toBe(false);
    },
  );

  it('openDatabase refuses a file that is not a database, and does not change it [storage.other-files]', () => {
    const path = file();
    const text = 'Dear diary, this is not a database. '.repeat(200);
    writeFileSync(path, text);
    expect(refusal(path)).toMatchObject({
      code: 'database_unusable',
      message: expect.stringContaining('cannot be read as a database'),
    });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it.skipIf(process.platform === 'win32')('openDatabase refuses a FIFO and a device', () => {
    const path = file();
    symlinkSync('/dev/null', path);
    expect(refusal(path)).toMatchObject({
      code: 'database_unusable',
      message: `${path} is not a regular file.`,
      hint: { text: 'Choose another database file.' },
    });
  });

  it('openDatabase refuses a snapshot, and says how to load it', () => {
    const path = file();
    const db = openDatabase({ path });
    db.pragma(`application_id = ${SNAPSHOT_APPLICATION_ID}`);
    db.close();
    expect(refusal(path)).toMatchObject({
      code: 'database_unusable',
      message: `${path} is a snapshot, not a database.`,
      hint: { command: expect.stringContaining(`svc emulator snapshot load ${path}`) },
    });
  });

  it('openDatabase refuses a database with a damaged schema [storage.damaged]', () => {
    const path = file();
    openDatabase({ path }).close();
    const bytes = readFileSync(path);
    bytes.fill(0xa5, 100, 4_096);
    writeFileSync(path, bytes);
    expect(refusal(path)).toMatchObject({ code: 'database_unusable' });
  });
});

describe('a write-ahead log that a crash left behind', () => {
  /** A database and its log as a killed process leaves them: `count` commits, none of them in the main file yet. */
  function crash(count: number) {
    const from = file();
    const path = file();
    const db = open(from);
    const main = readFileSync(from);
    const insert = db.prepare('INSERT INTO settings VALUES (?, ?)');
    for (let i = 0; i < count; i++) insert.run(`key ${i}`, 'x'.repeat(3_000));
    expect(main.length).toBeGreaterThan(0);
    copyFileSync(from, path);
    copyFileSync(`${from}-wal`, `${path}-wal`);
    return { path, log: `${path}-wal` };
  }
  const countKeys = (db: BetterSqlite.Database) => db.prepare('SELECT count(*) FROM settings').pluck().get();

  it('openDatabase reads the log, so no committed row is lost', () => {
    const db = open(crash(20).path);
    expect(countKeys(db)).toBe(20);
    expect(pragma(db, 'integrity_check')).toBe('ok');
  });

  it('openDatabase reads a truncated log up to its last complete commit', () => {
    const { path, log } = crash(20);
    truncateSync(log, readFileSync(log).length - 1_000);
    const db = open(path);
    expect(countKeys(db)).toBe(19);
    expect(pragma(db, 'integrity_check')).toBe('ok');
  });

  it('openDatabase reads a log that ends in garbage up to its last complete commit', () => {
    const { path, log } = crash(20);
    appendFileSync(log, Buffer.alloc(10_000, 0xa5));
    const db = open(path);
    expect(countKeys(db)).toBe(20);
    expect(pragma(db, 'integrity_check')).toBe('ok');
  });
});

describe('a path that cannot be a database', () => {
  it('openDatabase refuses a folder', () => {
    expect(refusal(createTemporaryFolder())).toMatchObject({
      code: 'database_unusable',
      message: expect.stringContaining('cannot be opened for writing'),
      hint: { text: expect.stringContaining('use :memory: as the database') },
    });
  });

  it('openDatabase refuses a path whose parent is a file', () => {
    const path = file();
    writeFileSync(path, '');
    expect(refusal(join(path, 'sandbox.db'))).toMatchObject({ code: 'database_unusable' });
    expect(refusal(join(path, 'deeper', 'sandbox.db'))).toMatchObject({ code: 'database_unusable' });
  });

  // The super-user may write everywhere, and Windows knows no such folders.
  it.runIf(process.platform !== 'win32' && process.getuid?.() !== 0)(
    'openDatabase refuses a file or folder that is not writable',
    () => {
      const folder = join(createTemporaryFolder(), 'locked');
      const path = join(folder, 'sandbox.db');
      mkdirSync(folder);
      openDatabase({ path }).close();
      chmodSync(path, 0o444);
      expect(refusal(path)).toMatchObject({ code: 'database_unusable' });
      chmodSync(folder, 0o555);
      onTestFinished(() => chmodSync(folder, 0o755));
      expect(refusal(join(folder, 'other.db'))).toMatchObject({
        code: 'database_unusable',
        hint: { text: expect.stringContaining('permissions') },
      });
    },
  );
});

describe('the errors of SQLite and of the file system', () => {
  const withCode = (code: unknown) => Object.assign(new Error('details'), { code });
  it.each([
    ['SQLITE_BUSY', 'database_in_use', false],
    ['SQLITE_LOCKED', 'database_in_use', false],
    ['SQLITE_NOTADB', 'database_unusable', false],
    ['SQLITE_CORRUPT', 'database_unusable', true],
    ['SQLITE_CORRUPT_INDEX', null, true],
    ['SQLITE_IOERR_WRITE', 'database_unusable', true],
    ['SQLITE_FULL', 'database_unusable', true],
    ['SQLITE_READONLY', 'database_unusable', true],
    ['EACCES', 'database_unusable', false],
    ['ENOSPC', 'database_unusable', false],
    ['XEACCES', null, false],
    ['SQLITE_CONSTRAINT', null, false],
    [13, null, false],
    [undefined, null, false],
  ])(
    'the code %s becomes %s when a database is opened; it is a failed write: %s',
    (code, expected, isFailedWrite) => {
      const error = withCode(code);
      const converted = toStoreError(error, 'a.db');
      if (expected === null) expect(converted).toBe(error);
      else
        expect(converted).toMatchObject({
          code: expected,
          cause: error,
          message: expect.stringContaining('a.db'),
        });
      expect(isStorageError(error)).toBe(isFailedWrite);
    },
  );

  it('another value and an error that is converted already are not changed', () => {
    const converted = new SvcError('database_unusable', 'a.db');
    expect(toStoreError(converted, 'b.db')).toBe(converted);
    const thrown = { code: 'SQLITE_FULL' };
    expect([toStoreError(thrown, 'b.db'), isStorageError(thrown)]).toEqual([thrown, false]);
  });
});
