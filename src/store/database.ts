/** Opening the SQLite file: pragmas, the lock that keeps a second emulator out, and the migrations. */
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { containsText } from '../domain/text-search.ts';
import { SvcError } from '../errors.ts';
import { openSqlite } from './driver.ts';
import { enableIncrementalVacuum } from './incremental-vacuum.ts';
import { migrations } from './migrations.ts';

/** Marks the file as ours (`svce`), so that the database of something else is never touched. */
export const APPLICATION_ID = 0x73766365;
/** Marks a snapshot (`svcs`), which is loaded and never run on. */
export const SNAPSHOT_APPLICATION_ID = 0x73766373;

export interface DatabaseOptions {
  /** Path of the file, or `:memory:`. */
  readonly path: string;
  /** `FULL` survives a power cut; `NORMAL` only a crash of the process. Only the benchmarks choose. */
  readonly synchronous?: 'FULL' | 'NORMAL';
}

/**
 * Opens and, where needed, creates or upgrades the database. The file stays locked by this process until it is closed.
 * @throws SvcError `database_in_use` when another process has it open, `database_unusable` when it cannot be read,
 *   is not ours, or was made by a newer version.
 */
export function openDatabase({ path, synchronous = 'FULL' }: DatabaseOptions): Database.Database {
  let db: Database.Database | undefined;
  try {
    if (path !== ':memory:') {
      createPrivateFile(path);
      assertSingleLink(path);
    }
    // Give up at once: a lock held by a running emulator will not go away by waiting.
    db = openSqlite(path, { timeout: 0 });
    db.pragma('locking_mode = EXCLUSIVE');
    assertApplicationId(db, path);
    enableIncrementalVacuum(db);
    db.pragma('journal_mode = WAL');
    db.pragma(`synchronous = ${synchronous}`);
    db.pragma('foreign_keys = ON');
    // Only what a rollback needs is temporary here, and in a file it costs more than the rows.
    db.pragma('temp_store = MEMORY');
    db.pragma('trusted_schema = OFF');
    // A write takes the exclusive lock for as long as the file is open.
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.function('has_text', { deterministic: true }, (text, wanted) => (containsText(text, wanted) ? 1 : 0));
    migrate(db, path);
    return db;
  } catch (error) {
    db?.close();
    throw toStoreError(error, path);
  }
}

/** The secrets of endpoints are in it: a new one is for its owner alone. SQLite gives the log beside it the same mode. */
function createPrivateFile(path: string): void {
  // Nobody else may replace the files in it, whatever the umask.
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/**
 * SQLite finds the write-ahead log by the name of the file: opened by another name, the database lacks what is in the log.
 * @throws SvcError `database_unusable` for a file with several hard links, and for a FIFO or a device.
 */
export function assertSingleLink(path: string): void {
  const stat = statSync(path);
  const { nlink } = stat;
  // SQLite refuses a folder.
  if (stat.isDirectory()) return;
  if (!stat.isFile()) {
    throw new SvcError('database_unusable', `${path} is not a regular file.`, {
      hint: 'Name another file with --db.',
    });
  }
  if (nlink < 2) return;
  throw new SvcError(
    'database_unusable',
    `${path} has ${nlink} names (hard links). Opened by one of them, a database can miss what was written by another.`,
    { hint: 'Remove the other names, or copy the file and start on the copy.' },
  );
}

/** @throws SvcError `database_unusable` for a snapshot, and for the database of another program. */
export function assertApplicationId(db: Database.Database, path: string): void {
  const id = db.pragma('application_id', { simple: true });
  if (id === APPLICATION_ID) return;
  if (id === SNAPSHOT_APPLICATION_ID) {
    throw new SvcError('database_unusable', `${path} is a snapshot, which stays as it was saved.`, {
      hint: `Start an emulator on another file, then load it: svc emulator snapshot load ${path}`,
    });
  }
  const tables = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get();
  if (id !== 0 || tables !== 0) {
    throw new SvcError('database_unusable', `${path} is a SQLite database of another program.`, {
      hint: 'Name another file with --db.',
    });
  }
}

/** @throws SvcError `database_unusable` for what a newer version has made. */
export function migrate(db: Database.Database, path: string): void {
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version > migrations.length) {
    throw new SvcError(
      'database_unusable',
      `${path} was made by a newer svc: its schema is version ${version}, this svc knows up to ${migrations.length}.`,
      { hint: 'Upgrade svc, or name another file.' },
    );
  }
  if (version === migrations.length) return;
  db.transaction(() => {
    for (const step of migrations.slice(version)) db.exec(step);
    db.pragma(`user_version = ${migrations.length}`);
  }).immediate();
}

/** What SQLite reports, in the project's own error. */
export function toStoreError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof SvcError) return error;
  const code = (error as { code?: unknown }).code;
  if (code === 'SQLITE_BUSY' || code === 'SQLITE_LOCKED') {
    return new SvcError('database_in_use', `${path} is in use by another process.`, {
      hint: 'Is an emulator running on it? Ask with `svc emulator status`, end it with `svc emulator stop`, or name another file with --db.',
      cause: error,
    });
  }
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT') {
    return new SvcError(
      'database_unusable',
      `${path} is not a database that can be read: ${error.message}.`,
      {
        hint: 'Move it away to start with an empty one, or name another file with --db.',
        cause: error,
      },
    );
  }
  if (
    typeof code === 'string' &&
    /^(SQLITE_(CANTOPEN|READONLY|IOERR|PERM|FULL)|EACCES|EPERM|EROFS|ENOTDIR|EEXIST|ENOSPC|EFBIG)/.test(code)
  ) {
    return new SvcError('database_unusable', `${path} cannot be opened for writing: ${error.message}.`, {
      hint: 'Check the path, its permissions and free space, or use --db :memory:.',
      cause: error,
    });
  }
  return error;
}

/** Whether SQLite reports that the file or its disk fails, and not that a statement is wrong. */
export function isStorageError(error: unknown): error is Error {
  const { code } = error as { code?: unknown };
  return (
    error instanceof Error && typeof code === 'string' && /^SQLITE_(CORRUPT|FULL|IOERR|READONLY)/.test(code)
  );
}
