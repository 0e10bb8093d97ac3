/** Saves the database of a running emulator as a snapshot. */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import { describeFileError } from '../domain/message-parts.ts';
import { SvcError } from '../errors.ts';
import {
  createStoreClosedError,
  HEADER_BYTES,
  readApplicationId,
  SNAPSHOT_APPLICATION_ID,
} from './database.ts';
import { openSqlite } from './driver.ts';
import { SettingTable } from './schema.ts';
import { Sql } from './sql.ts';

/** Setting that only snapshots have: the wall time of their state. */
export const SAVED_AT_SETTING = 'snapshot_saved_at';
/** Path of the temporary file of a snapshot that is being saved, so that the next start can delete it. */
const TEMPORARY_PATH_SETTING = 'unfinished_snapshot';

const UNFINISHED_SNAPSHOT_NAME = /^\.svc-snapshot-[0-9a-f-]{36}\.tmp(-journal|-wal|-shm)?$/;
/** A temporary file that was not written to for this long was left by a killed process. */
const ABANDONED_AFTER_MS = 60_000;

export interface SavedSnapshot {
  readonly sizeBytes: number;
  /** Wall time of the saved state. */
  readonly savedAt: number;
}

/**
 * Writes the database to `path` atomically, through a temporary file in the same folder. Pages are copied in slices, and
 * SQLite copies a page again if it changes meanwhile. The snapshot contains the state at the last page.
 * @param beforeLastPages writes state that the snapshot must contain.
 * @throws SvcError `usage` if `path` cannot be written or is an existing file that is not a snapshot.
 */
export async function saveSnapshot(
  db: Database.Database,
  settings: SettingTable,
  path: string,
  getWallTime: () => number,
  beforeLastPages: () => void,
): Promise<SavedSnapshot> {
  let temporaryPath: string | null = null;
  try {
    const target = resolveTarget(path);
    temporaryPath = join(dirname(target), `.svc-snapshot-${randomUUID()}.tmp`);
    recordTemporaryPath(settings, temporaryPath);
    const savedAt = await copyDatabase(db, temporaryPath, beforeLastPages, getWallTime);
    markAsSnapshot(temporaryPath, savedAt);
    renameSync(temporaryPath, target);
    removeAbandonedSnapshots(dirname(target), statSync(target).mtimeMs);
    fsyncFolder(dirname(target));
    return { sizeBytes: statSync(target).size, savedAt };
  } catch (error) {
    if (temporaryPath !== null) removeTemporaryFiles(temporaryPath);
    if (error instanceof SvcError) throw error;
    if (!db.open) throw createStoreClosedError();
    throw new SvcError('usage', `The snapshot ${path} cannot be written: ${describeFileError(error)}.`, {
      hint: 'Check the path, its permissions and the free disk space.',
      cause: error,
    });
  } finally {
    recordTemporaryPath(settings, '');
  }
}

/** Ignores errors: if the database cannot be written, a snapshot is needed even more. */
function recordTemporaryPath(settings: SettingTable, path: string): void {
  try {
    settings.set(TEMPORARY_PATH_SETTING, path);
  } catch {}
}

/** Deletes the temporary file of a save that was killed. */
export function removeUnfinishedSnapshot(settings: SettingTable): void {
  const path = settings.find(TEMPORARY_PATH_SETTING);
  if (path && UNFINISHED_SNAPSHOT_NAME.test(basename(path))) removeTemporaryFiles(path);
}

function removeTemporaryFiles(path: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

/**
 * The file to write, with symbolic links resolved.
 * @throws SvcError `usage` if it exists and is not a snapshot.
 */
function resolveTarget(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path;
  const target = realpathSync(path);
  if (!statSync(target).isFile()) {
    throw new SvcError('usage', `${path} is not a regular file.`, {
      hint: 'Pass the path of a regular file.',
    });
  }
  if (readApplicationId(readHeader(target)) === SNAPSHOT_APPLICATION_ID) return target;
  throw new SvcError('usage', `${path} already exists and is not a snapshot.`, {
    hint: 'Choose another file, or remove it first.',
  });
}

function readHeader(path: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(file);
  }
  return header;
}

/**
 * Deletes temporary files of killed saves.
 * @param fileSystemTime the current time of the file system, whose clock can differ from that of this machine.
 */
function removeAbandonedSnapshots(folder: string, fileSystemTime: number): void {
  for (const name of readdirSync(folder).filter((file) => UNFINISHED_SNAPSHOT_NAME.test(file))) {
    const path = join(folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() && fileSystemTime - stat.mtimeMs > ABANDONED_AFTER_MS) rmSync(path, { force: true });
  }
}

function markAsSnapshot(path: string, savedAt: number): void {
  const db = openSqlite(path);
  try {
    // So that the snapshot is one file, without a write-ahead log.
    db.pragma('journal_mode = DELETE');
    db.pragma(`application_id = ${SNAPSHOT_APPLICATION_ID}`);
    new SettingTable(new Sql(db)).set(SAVED_AT_SETTING, String(savedAt));
  } finally {
    db.close();
  }
}

/** Pages copied per turn of the event loop: about a megabyte, which takes one or two milliseconds. */
const PAGES_PER_TURN = 256;

/**
 * Copies the database to a new file that only its owner can read, and flushes it. SQLite copies a page again if it
 * changes meanwhile.
 * @param beforeLastPages called right before the last pages are copied. May write to the database.
 * @returns the wall time right after the last page was copied. The copy contains the state at this time.
 */
async function copyDatabase(
  db: Database.Database,
  path: string,
  beforeLastPages: () => void,
  getWallTime: () => number,
): Promise<number> {
  // Created here for its mode, because it contains secrets. SQLite accepts an empty file as a new database.
  const file = await open(path, 'wx', 0o600);
  try {
    await db.backup(path, {
      progress: ({ remainingPages }) => {
        if (remainingPages <= PAGES_PER_TURN) beforeLastPages();
        return PAGES_PER_TURN;
      },
    });
    const copiedAt = getWallTime();
    await file.sync();
    return copiedAt;
  } finally {
    await file.close();
  }
}

/** Makes a rename survive a power cut. Not needed on Windows, which cannot open a folder. */
function fsyncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
