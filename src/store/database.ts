/** Opens the SQLite file: refuses files that are not ours, sets pragmas, and locks it against a second emulator. Checks it for damage. */
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { SvcError } from '../domain/errors.ts';
import { describeFileError } from '../domain/message-parts.ts';
import { openSqlite } from './driver.ts';
import { createSchema, hasExactSchema } from './schema.ts';
import { readPragma } from './sql.ts';

/** SQLite application ID of a database of svc (`svce`). Databases of other programs are never changed. */
export const APPLICATION_ID = 0x73766365;
/** SQLite application ID of a snapshot (`svcs`), on which no emulator starts. */
export const SNAPSHOT_APPLICATION_ID = 0x73766373;

export interface DatabaseOptions {
  /** Path of the file, or `:memory:`. */
  readonly path: string;
  /** `FULL` survives a power cut, `NORMAL` only a crash of the process. Only benchmarks set it. */
  readonly synchronous?: 'FULL' | 'NORMAL';
}

/**
 * Opens the database, and creates it if necessary. This process holds a lock on the file until it is closed.
 * @throws SvcError `database_in_use` if another process has it open; `database_unusable` if it cannot be read, belongs
 *   to another program, or has another schema; `sqlite_unavailable` as `openSqlite`.
 */
export function openDatabase({ path, synchronous = 'FULL' }: DatabaseOptions): Database.Database {
  let db: Database.Database | undefined;
  try {
    if (path !== ':memory:') {
      createPrivateFile(path);
      assertUsableFile(path);
    }
    // No timeout: a running emulator holds the lock until it stops.
    db = openSqlite(path, { timeout: 0 });
    db.pragma('locking_mode = EXCLUSIVE');
    db.pragma('trusted_schema = OFF');
    const isNew = checkOwner(db, path) === 'nobody';
    db.pragma('journal_mode = WAL');
    db.pragma(`synchronous = ${synchronous}`);
    db.pragma('foreign_keys = ON');
    // The only temporary data is what SQLite needs for rollbacks. In a file, it would cost more than the rows themselves.
    db.pragma('temp_store = MEMORY');
    if (isNew) createDatabase(db);
    return db;
  } catch (error) {
    db?.close();
    throw toStoreError(error, path);
  }
}

/** Readable only by its owner, because it contains endpoint secrets. SQLite creates the log with the same mode. */
export function createPrivateFile(path: string): void {
  // Not writable by others, whatever the umask: they could replace the files.
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/** @throws SvcError `database_unusable` for a FIFO or a device. SQLite itself reports an error for a folder. */
function assertUsableFile(path: string): void {
  const stat = statSync(path);
  if (stat.isFile() || stat.isDirectory()) return;
  throw new SvcError('database_unusable', `${path} is not a regular file.`, {
    hint: 'Choose another database file.',
  });
}

/**
 * Whose database this is: that of svc, or of nobody if it is empty. Triggers of a foreign database would run with each write.
 * @throws SvcError `database_unusable` for a snapshot, the database of another program, or one with another schema
 */
function checkOwner(db: Database.Database, path: string): 'svc' | 'nobody' {
  const id = readPragma(db, 'application_id');
  if (id === SNAPSHOT_APPLICATION_ID) {
    throw new SvcError('database_unusable', `${path} is a snapshot, not a database.`, {
      hint: {
        text: 'Start an emulator with another database file, then load the snapshot',
        command: `svc emulator snapshot load ${path}`,
      },
    });
  }
  if (id === 0 && db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0) return 'nobody';
  if (id !== APPLICATION_ID) {
    throw new SvcError('database_unusable', `${path} is the SQLite database of another program.`, {
      hint: 'Choose another database file.',
    });
  }
  if (hasExactSchema(db)) return 'svc';
  throw new SvcError(
    'database_unusable',
    `${path} has other tables, indexes, views or triggers than a database of this version of svc.`,
    { hint: 'Move it away to start with an empty database, or choose another database file.' },
  );
}

function createDatabase(db: Database.Database): void {
  db.transaction(() => {
    db.pragma(`application_id = ${APPLICATION_ID}`);
    createSchema(db);
  }).immediate();
}

/** Converts an error of SQLite or the file system to an `SvcError`; returns any other error unchanged. */
export function toStoreError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || error instanceof SvcError) return error;
  const code = (error as { code?: unknown }).code;
  if (code === 'SQLITE_BUSY' || code === 'SQLITE_LOCKED') {
    return new SvcError('database_in_use', `${path} is in use by another process.`, {
      // Not `svc emulator stop`: it would stop the emulator for this folder or at SVC_CONTROL_URL, which can be another one.
      hint: 'Choose another database file, or end the process that uses this one.',
      cause: error,
    });
  }
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT') {
    return new SvcError('database_unusable', `${path} cannot be read as a database: ${error.message}.`, {
      hint: 'Move it away to start with an empty database, or choose another database file.',
      cause: error,
    });
  }
  if (
    typeof code === 'string' &&
    /^(SQLITE_(CANTOPEN|READONLY|IOERR|PERM|FULL)|EACCES|EPERM|EROFS|ENOENT|ENOTDIR|ELOOP|ENAMETOOLONG|EEXIST|ENOSPC|EFBIG)/.test(
      code,
    )
  ) {
    return new SvcError(
      'database_unusable',
      `${path} cannot be opened for writing: ${describeFileError(error)}.`,
      {
        hint: 'Check the path, its permissions and the free disk space, or use :memory: as the database, which needs no file.',
        cause: error,
      },
    );
  }
  return error;
}

export function createStorageError(message: string, cause: unknown): SvcError {
  return new SvcError('storage_unavailable', message, {
    hint: {
      text: 'Check the free space and the permissions of the database folder, and check the database file',
      command: 'svc doctor',
    },
    cause,
  });
}

/** Whether SQLite reports a failure of the file or its disk, and not an invalid statement. */
export function isStorageError(error: unknown): error is Error {
  const { code } = error as { code?: unknown };
  return (
    error instanceof Error && typeof code === 'string' && /^SQLITE_(CORRUPT|FULL|IOERR|READONLY)/.test(code)
  );
}

export interface IntegrityReport {
  readonly size: number;
  /** Messages of SQLite about damage; empty for an intact database. */
  readonly damage: readonly string[];
}

const MAX_MESSAGES = 5;

/** Reads the whole database; takes seconds if it is large. */
export function checkIntegrity(db: Database.Database): IntegrityReport {
  return {
    size: readPragma(db, 'page_count') * readPragma(db, 'page_size'),
    damage: findDamage(db),
  };
}

/** `integrity_check` also checks the types and conditions of all columns. @param name of the database in the connection */
export function findDamage(db: Database.Database, name = 'main'): string[] {
  try {
    const rows = db.pragma(`${name}.integrity_check(${MAX_MESSAGES})`) as { integrity_check: string }[];
    const messages = rows
      .map(({ integrity_check: message }) => message)
      .filter((message) => message !== 'ok');
    const [violation] = db.pragma(`${name}.foreign_key_check`) as { table: string; parent: string }[];
    if (violation === undefined) return messages;
    return [...messages, `a row of ${violation.table} refers to a missing row of ${violation.parent}`];
  } catch (error) {
    // Some damage makes the check itself fail.
    if ((error as { code?: unknown }).code === 'SQLITE_CORRUPT') return [(error as Error).message];
    throw error;
  }
}

/**
 * Like {@link checkIntegrity}, for a file that no process has open. The file is not changed.
 * @returns null if the file does not exist.
 * @throws SvcError `database_in_use`, `database_unusable` or `sqlite_unavailable`.
 */
export function checkFileIntegrity(path: string): IntegrityReport | null {
  if (!existsSync(path)) return null;
  let db: Database.Database | undefined;
  try {
    assertUsableFile(path);
    db = openSqlite(path, { readonly: true, timeout: 0 });
    checkOwner(db, path);
    return checkIntegrity(db);
  } catch (error) {
    throw toStoreError(error, path);
  } finally {
    db?.close();
  }
}
