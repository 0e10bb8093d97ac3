/** Locks a file against other processes. The system releases the lock when the process ends, even if it is killed. */
import { existsSync } from 'node:fs';
import { SvcError } from '../domain/errors.ts';
import { createPrivateFile, toStoreError } from './database.ts';
import { openSqlite } from './driver.ts';

/**
 * Creates the file if necessary. It stays empty: SQLite locks it, because Node.js has no file locks.
 * @returns a function that releases the lock; null if another process has it, or has just removed the file.
 * @throws SvcError `database_unusable` if the file cannot be created; `sqlite_unavailable`
 */
export function lockFile(path: string): (() => void) | null {
  let db: ReturnType<typeof openSqlite> | undefined;
  try {
    createPrivateFile(path);
    db = openSqlite(path, { timeout: 0 });
    // Without a journal file, which would stay in the folder as long as the lock.
    db.pragma('journal_mode = MEMORY');
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    const storeError = toStoreError(error, path);
    if (storeError instanceof SvcError && storeError.code === 'database_in_use') return null;
    throw storeError;
  }
  const release = () => db.close();
  if (existsSync(path)) return release;
  release();
  return null;
}
