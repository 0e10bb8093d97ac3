/** Saves the database of a running emulator as one file, and attaches such a file to load it. */
import { closeSync, lstatSync, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import type { Environment } from '../domain/credentials.ts';
import { SvcError } from '../domain/errors.ts';
import { describeFileError } from '../domain/message-parts.ts';
import { quoteForShell } from '../domain/shell.ts';
import { APPLICATION_ID, findDamage, SNAPSHOT_APPLICATION_ID } from './database.ts';
import { openSqlite } from './driver.ts';
import { hasExactSchema } from './schema.ts';
import { SettingTable } from './settings.ts';
import { Sql } from './sql.ts';

/** Setting that only snapshots have: the wall time of their state. */
const SAVED_AT_SETTING = 'snapshot_saved_at';

/**
 * Writes the database to `path` atomically, through a temporary file next to it, which the next save removes if the process is killed.
 * @param savedAt wall time
 * @returns the size of the file in bytes
 * @throws SvcError `usage` if `path` cannot be written or is an existing file that is not a snapshot.
 */
export function saveSnapshot(db: Database.Database, path: string, savedAt: number): number {
  try {
    const target = resolveTarget(path);
    const temporary = `${target}.svc-unfinished`;
    rmSync(temporary, { force: true });
    try {
      // Created here for its mode, because it contains secrets. SQLite accepts an empty file.
      closeSync(openSync(temporary, 'wx', 0o600));
      db.prepare('VACUUM INTO ?').run(temporary);
      markAsSnapshot(temporary, savedAt);
      renameSync(temporary, target);
    } finally {
      rmSync(temporary, { force: true });
    }
    return statSync(target).size;
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw new SvcError('usage', `The snapshot ${path} cannot be written: ${describeFileError(error)}.`, {
      hint: 'Check the path, its permissions and the free disk space.',
      cause: error,
    });
  }
}

/**
 * The file to write, with symbolic links resolved.
 * @throws SvcError `usage` if it exists and is not a snapshot.
 */
function resolveTarget(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path;
  const target = realpathSync(path);
  if (statSync(target).isFile() && isSnapshot(target)) return target;
  throw new SvcError('usage', `${path} already exists and is not a snapshot.`, {
    hint: 'Choose another file, or remove it first.',
  });
}

function isSnapshot(path: string): boolean {
  const db = openSqlite(path, { readonly: true });
  try {
    return db.pragma('application_id', { simple: true }) === SNAPSHOT_APPLICATION_ID;
  } catch {
    return false;
  } finally {
    db.close();
  }
}

/** The commit also flushes what `VACUUM INTO` has written. */
function markAsSnapshot(path: string, savedAt: number): void {
  const db = openSqlite(path);
  try {
    db.pragma('journal_mode = MEMORY');
    db.pragma('synchronous = FULL');
    db.pragma(`application_id = ${SNAPSHOT_APPLICATION_ID}`);
    new SettingTable(new Sql(db)).set(SAVED_AT_SETTING, String(savedAt));
  } finally {
    db.close();
  }
}

/**
 * Calls `load` while the snapshot is attached as `snapshot`.
 * @param load gets the wall time of the saved state
 * @throws SvcError `usage` if the file cannot be read, `validation_failed` if it is not an intact snapshot of `environment`.
 */
export function withSnapshot(
  db: Database.Database,
  path: string,
  environment: Environment,
  load: (savedAt: number) => void,
): void {
  try {
    // SQLite would create a file that does not exist.
    if (statSync(path).isDirectory()) throw new Error('it is a folder');
    db.prepare('ATTACH ? AS snapshot').run(path);
  } catch (error) {
    throw toLoadError(error, path);
  }
  try {
    load(checkSnapshot(db, path, environment));
  } finally {
    db.exec('DETACH snapshot');
  }
}

/** @returns the wall time of the saved state. */
function checkSnapshot(db: Database.Database, path: string, environment: Environment): number {
  try {
    assertSnapshot(db, path);
    const [damage] = findDamage(db, 'snapshot');
    if (damage !== undefined) throw createDamagedError(path, damage);
  } catch (error) {
    throw toLoadError(error, path);
  }
  const find = db.prepare<[string], string>('SELECT value FROM snapshot.settings WHERE key = ?').pluck();
  const owner = find.get('environment');
  if (owner !== environment) {
    throw new SvcError(
      'validation_failed',
      `${path} belongs to the ${owner} environment, but this emulator runs as ${environment}.`,
      { hint: `Start an emulator with the environment ${owner} to load it.` },
    );
  }
  const savedAt = Number(find.get(SAVED_AT_SETTING));
  if (Number.isInteger(savedAt)) return savedAt;
  throw createDamagedError(path, 'the time at which it was saved is missing or invalid');
}

function assertSnapshot(db: Database.Database, path: string): void {
  const id = db.pragma('snapshot.application_id', { simple: true });
  if (id === APPLICATION_ID) {
    const command = `svc emulator start --db ${quoteForShell(path)}`;
    throw createNotASnapshotError(path, { text: 'Use it as the database instead', command });
  }
  if (id !== SNAPSHOT_APPLICATION_ID) throw createNotASnapshotError(path);
  if (!hasExactSchema(db, 'snapshot')) {
    throw createDamagedError(path, 'its schema differs from that of a snapshot');
  }
}

function createNotASnapshotError(
  path: string,
  hint = { text: 'Save one', command: 'svc emulator snapshot save FILE' },
): SvcError {
  return new SvcError('validation_failed', `${path} is not a snapshot.`, { hint });
}

function createDamagedError(path: string, damage: string): SvcError {
  return new SvcError('validation_failed', `${path} is damaged: ${damage}.`, {
    hint: 'Save the snapshot again, or restore the file from a backup. Nothing was loaded.',
  });
}

function toLoadError(error: unknown, path: string): unknown {
  if (error instanceof SvcError) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new SvcError('usage', `The file ${path} does not exist.`, { cause: error });
  if (code === 'SQLITE_NOTADB') return createNotASnapshotError(path);
  if (code === 'SQLITE_CORRUPT') return createDamagedError(path, message);
  return new SvcError('usage', `The snapshot ${path} cannot be read: ${describeFileError(error)}.`, {
    cause: error,
  });
}
