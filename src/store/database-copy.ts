/** Copies a database that is in use to another file without blocking the event loop. */
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type Database from 'better-sqlite3';

/** Pages copied per turn of the event loop: about a megabyte, which takes one or two milliseconds. */
const PAGES_PER_TURN = 256;
/** After this many pages, the copy is flushed in the background, so that the last flush is short. */
const PAGES_PER_FLUSH = 4_096;

export interface CopyHooks {
  /** Called right before the last pages are copied. May write to the database. */
  readonly beforeLastPages: () => void;
  /** Called right after the last page was copied. The copy contains the state at this time. */
  readonly onLastPage: () => void;
}

/**
 * Copies the database to a new file that only its owner can read, and flushes it. SQLite copies a page again if it
 * changes meanwhile.
 */
export async function copyDatabase(
  db: Database.Database,
  path: string,
  { beforeLastPages, onLastPage }: CopyHooks,
): Promise<void> {
  // Created here for its mode, because it contains secrets. SQLite accepts an empty file as a new database.
  const file = await open(path, 'wx', 0o600);
  try {
    let flushAt = Number.POSITIVE_INFINITY;
    let flushed: Promise<void> = Promise.resolve();
    await db.backup(path, {
      progress: ({ remainingPages }) => {
        if (remainingPages <= PAGES_PER_TURN) beforeLastPages();
        if (flushAt === Number.POSITIVE_INFINITY) flushAt = remainingPages - PAGES_PER_FLUSH;
        if (remainingPages < flushAt) {
          flushAt = remainingPages - PAGES_PER_FLUSH;
          flushed = flushed.then(() => flushInBackground(file));
        }
        return PAGES_PER_TURN;
      },
    });
    onLastPage();
    await flushed;
    await file.sync();
  } finally {
    await file.close();
  }
}

/** An error is ignored here: the final flush reports it again. */
async function flushInBackground(file: FileHandle): Promise<void> {
  await file.datasync().catch(() => {});
}

/** Makes a rename survive a power cut. Not needed on Windows, which cannot open a folder. */
export function fsyncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
