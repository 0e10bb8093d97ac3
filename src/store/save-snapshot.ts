/** Saves a snapshot: the complete state of a store in one file. */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import { describeFileError } from '../domain/file-error.ts';
import { SvcError } from '../errors.ts';
import {
  createStoreClosedError,
  HEADER_BYTES,
  readApplicationId,
  SNAPSHOT_APPLICATION_ID,
} from './database.ts';
import { copyDatabase, fsyncFolder } from './database-copy.ts';
import { openSqlite } from './driver.ts';
import { deleteUnpublished } from './unpublished-event.ts';

/** Setting that only snapshots have: the wall time of their state. */
export const SAVED_AT_SETTING = 'snapshot_saved_at';

const UNFINISHED_SNAPSHOT_NAME = /^\.svc-snapshot-[0-9a-f-]{36}\.tmp(-journal|-wal|-shm)?$/;
/** A temporary file that was not written to for this long was left by a killed process. */
const ABANDONED_AFTER_MS = 60_000;

export interface SavedSnapshot {
  readonly sizeBytes: number;
  /** Wall time of the saved state. */
  readonly savedAt: number;
}

export interface SaveOptions {
  /** Called with the path of the temporary file before it is created. */
  readonly onTemporaryPath: (path: string) => void;
  /** Called right before the last pages are copied. */
  readonly beforeLastPages: () => void;
  readonly getWallTime: () => number;
}

/**
 * Writes the database to `path` atomically, through a temporary file in the same folder. Pages are copied in slices, and
 * SQLite copies a page again if it changes meanwhile. The snapshot contains the state at the last page.
 * @throws SvcError `usage` if `path` cannot be written or is an existing file that is not a snapshot.
 */
export async function saveSnapshot(
  db: Database.Database,
  path: string,
  { onTemporaryPath, beforeLastPages, getWallTime }: SaveOptions,
): Promise<SavedSnapshot> {
  let temporaryPath: string | null = null;
  try {
    const target = resolveTarget(path);
    temporaryPath = join(dirname(target), `.svc-snapshot-${randomUUID()}.tmp`);
    onTemporaryPath(temporaryPath);
    let savedAt = 0;
    const onLastPage = () => {
      savedAt = getWallTime();
    };
    await copyDatabase(db, temporaryPath, { beforeLastPages, onLastPage });
    markAsSnapshot(temporaryPath, savedAt);
    renameSync(temporaryPath, target);
    removeAbandonedSnapshots(dirname(target), statSync(target).mtimeMs);
    fsyncFolder(dirname(target));
    return { sizeBytes: statSync(target).size, savedAt };
  } catch (error) {
    if (temporaryPath !== null) removeUnfinishedSnapshot(temporaryPath);
    if (error instanceof SvcError) throw error;
    if (!db.open) throw createStoreClosedError();
    throw new SvcError('usage', `The snapshot ${path} cannot be written: ${describeFileError(error)}.`, {
      hint: 'Check the path, its permissions and free space.',
      cause: error,
    });
  }
}

/** Deletes the temporary file that a killed save left. Does nothing for any other path. */
export function removeUnfinishedSnapshot(path: string): void {
  if (!UNFINISHED_SNAPSHOT_NAME.test(basename(path))) return;
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

/** Deletes temporary files of killed saves. @param wallTime the current time of the file system. */
function removeAbandonedSnapshots(folder: string, wallTime: number): void {
  for (const name of readdirSync(folder).filter((file) => UNFINISHED_SNAPSHOT_NAME.test(file))) {
    const path = join(folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() && wallTime - stat.mtimeMs > ABANDONED_AFTER_MS) rmSync(path, { force: true });
  }
}

function markAsSnapshot(path: string, savedAt: number): void {
  const db = openSqlite(path);
  try {
    db.pragma('journal_mode = DELETE');
    // The last page may have been copied between two slices of an unpublished event.
    deleteUnpublished(db);
    db.pragma(`application_id = ${SNAPSHOT_APPLICATION_ID}`);
    db.prepare('INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)').run(
      SAVED_AT_SETTING,
      String(savedAt),
    );
  } finally {
    db.close();
  }
}
