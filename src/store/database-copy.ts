/** Copying a database that is in use to another file, without holding up the event loop. */
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type Database from 'better-sqlite3';

/** Pages copied per turn of the event loop: about a megabyte, which takes a millisecond or two. */
const PAGES_PER_TURN = 256;
/** Copied pages after which they are flushed in the background, so that the last flush is short. */
const PAGES_PER_FLUSH = 4_096;

export interface CopyHooks {
  /** Called in the turn before the last pages are copied; may write to the database. */
  readonly beforeLastPages: () => void;
  /** Called in the turn in which the last page was copied: the copy holds this moment. */
  readonly onLastPage: () => void;
}

/**
 * Copies the database to a new file, readable by its owner alone, and flushes it. SQLite copies pages again that change
 * meanwhile.
 */
export async function copyDatabase(
  db: Database.Database,
  path: string,
  { beforeLastPages, onLastPage }: CopyHooks,
): Promise<void> {
  // It holds secrets. SQLite treats an empty file as a new database.
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

/** What fails here fails again, and is reported, when the whole file is flushed. */
async function flushInBackground(file: FileHandle): Promise<void> {
  await file.datasync().catch(() => {});
}

/** Makes a file that was renamed survive a power cut. Windows cannot open a folder, and needs no flush of one. */
export function fsyncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
