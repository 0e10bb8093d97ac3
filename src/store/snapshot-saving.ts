/** Saving a snapshot: the whole state of a store in one file. */
import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { SvcError } from '../errors.ts';
import { SNAPSHOT_ID } from './database.ts';

/** Setting of a snapshot alone: the wall time of what it holds. */
export const SAVED_AT = 'snapshot_saved_at';

/**
 * Writes what the database holds to `path`, whole or not at all: beside it first, then to the disk, then in its place.
 * Nothing else is done meanwhile, so that it is of one moment however much is going on.
 * @param savedAt wall time of that moment.
 * @returns its size in bytes.
 * @throws SvcError `usage` when it cannot be written there, or when a file stands there that is no snapshot.
 */
export function saveSnapshot(db: Database.Database, path: string, savedAt: number): number {
  const unfinished = `${path}.${process.pid}.tmp`;
  try {
    assertReplaceable(path);
    rmSync(unfinished, { force: true });
    // It holds secrets: for its owner alone. An empty file is as good to SQLite as none.
    closeSync(openSync(unfinished, 'wx', 0o600));
    db.prepare('VACUUM main INTO ?').run(unfinished);
    mark(unfinished, savedAt);
    flushToDisk(unfinished);
    renameSync(unfinished, path);
    if (process.platform !== 'win32') flushToDisk(dirname(path));
    return statSync(path).size;
  } catch (error) {
    rmSync(unfinished, { force: true });
    if (error instanceof SvcError) throw error;
    throw new SvcError('usage', `The snapshot ${path} cannot be written: ${(error as Error).message}.`, {
      hint: 'Check the path, its permissions and free space.',
      cause: error,
    });
  }
}

function assertReplaceable(path: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0 || readApplicationId(path) === SNAPSHOT_ID) return;
  throw new SvcError('usage', `${path} is there already, and is no snapshot.`, {
    hint: 'Name another file, or remove it first.',
  });
}

/** The four bytes of the header where SQLite keeps it; no file is opened for writing to learn it. */
function readApplicationId(path: string): number {
  const bytes = Buffer.alloc(4);
  const file = openSync(path, 'r');
  readSync(file, bytes, 0, 4, 68);
  closeSync(file);
  return bytes.readUInt32BE();
}

function mark(path: string, savedAt: number): void {
  const db = new Database(path);
  db.pragma('journal_mode = DELETE');
  db.pragma(`application_id = ${SNAPSHOT_ID}`);
  db.prepare('INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)').run(SAVED_AT, String(savedAt));
  db.close();
}

function flushToDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
