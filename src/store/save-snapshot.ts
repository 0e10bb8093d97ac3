/** Saving a snapshot: the whole state of a store in one file. */
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
import { SvcError } from '../errors.ts';
import { SNAPSHOT_APPLICATION_ID } from './database.ts';
import { copyDatabase, fsyncFolder } from './database-copy.ts';
import { openSqlite } from './driver.ts';
import { deleteUnpublished } from './unpublished-event.ts';

/** Setting of a snapshot alone: the wall time of what it holds. */
export const SAVED_AT_SETTING = 'snapshot_saved_at';

const UNFINISHED_NAME = /^\.svc-snapshot-[0-9a-f-]{36}\.tmp(-journal|-wal|-shm)?$/;
/** A file of another save that was not written to for this long belongs to a process that was killed. */
const ABANDONED_AFTER_MS = 60_000;

export interface SavedSnapshot {
  readonly sizeBytes: number;
  /** Wall time of the moment that the snapshot holds. */
  readonly savedAt: number;
}

export interface SaveOptions {
  /** Called with the name of the unfinished file before it is created. */
  readonly onUnfinished: (path: string) => void;
  /** Called in the turn before the last pages are copied. */
  readonly beforeLastPages: () => void;
  readonly now: () => number;
}

/**
 * Writes what the database holds to `path`, whole or not at all: to a file beside it first, which then takes its place.
 * Pages are copied a few at a time; SQLite repeats those that change meanwhile, so that the file holds the moment at
 * which the last page was copied.
 * @throws SvcError `usage` when it cannot be written there, or when something stands there that is not a snapshot.
 */
export async function saveSnapshot(
  db: Database.Database,
  path: string,
  saving: SaveOptions,
): Promise<SavedSnapshot> {
  let unfinished: string | null = null;
  try {
    const target = findTarget(path);
    unfinished = join(dirname(target), `.svc-snapshot-${randomUUID()}.tmp`);
    saving.onUnfinished(unfinished);
    let savedAt = 0;
    const atEnd = () => {
      savedAt = saving.now();
    };
    await copyDatabase(db, unfinished, { beforeLastPages: saving.beforeLastPages, onLastPage: atEnd });
    markAsSnapshot(unfinished, savedAt);
    renameSync(unfinished, target);
    removeAbandonedSnapshots(dirname(target), statSync(target).mtimeMs);
    fsyncFolder(dirname(target));
    return { sizeBytes: statSync(target).size, savedAt };
  } catch (error) {
    if (unfinished !== null) removeUnfinishedSnapshot(unfinished);
    if (error instanceof SvcError) throw error;
    if (!db.open) throw new SvcError('storage_unavailable', 'The emulator is stopping.');
    throw new SvcError('usage', `The snapshot ${path} cannot be written: ${(error as Error).message}.`, {
      hint: 'Check the path, its permissions and free space.',
      cause: error,
    });
  }
}

/** Removes what a save left behind whose process was killed. Any other path is left alone. */
export function removeUnfinishedSnapshot(path: string): void {
  if (!UNFINISHED_NAME.test(basename(path))) return;
  for (const each of [path, `${path}-journal`, `${path}-wal`, `${path}-shm`]) rmSync(each, { force: true });
}

/**
 * The file that is to be replaced, at the end of symbolic links.
 * @throws SvcError `usage` for what is not a regular file or not a snapshot.
 */
function findTarget(path: string): string {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path;
  const target = realpathSync(path);
  if (!statSync(target).isFile()) {
    throw new SvcError('usage', `${path} is not a regular file.`, { hint: 'Name a file.' });
  }
  if (readApplicationId(target) === SNAPSHOT_APPLICATION_ID) return target;
  throw new SvcError('usage', `${path} already exists and is not a snapshot.`, {
    hint: 'Name another file, or remove it first.',
  });
}

/** From the header of a SQLite file; 0 for any other file. No file is opened for writing to learn it. */
function readApplicationId(path: string): number {
  const header = Buffer.alloc(72);
  const file = openSync(path, 'r');
  readSync(file, header, 0, header.length, 0);
  closeSync(file);
  return header.toString('latin1', 0, 16) === 'SQLite format 3\0' ? header.readUInt32BE(68) : 0;
}

/** Of saves into the same folder that ended before `now`, a time of the same file system. */
function removeAbandonedSnapshots(folder: string, now: number): void {
  for (const name of readdirSync(folder).filter((each) => UNFINISHED_NAME.test(each))) {
    const path = join(folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() && now - stat.mtimeMs > ABANDONED_AFTER_MS) rmSync(path, { force: true });
  }
}

function markAsSnapshot(path: string, savedAt: number): void {
  const db = openSqlite(path);
  try {
    db.pragma('journal_mode = DELETE');
    // The last page may have been copied between two slices of an event.
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
