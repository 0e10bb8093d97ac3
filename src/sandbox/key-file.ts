/** The default key of a database, kept beside it for its owner alone: the database itself holds only a hash. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { SvcError } from '../errors.ts';

/**
 * The key of an earlier boot; null when there is none that can be read.
 * @throws SvcError `usage` for a FIFO or a device: opening one could wait without end.
 */
export function readKeyFile(db: string): string | null {
  if (db === ':memory:') return null;
  const file = `${db}.key`;
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) {
    throw new SvcError('usage', `${file} is not a regular file.`, { hint: 'Remove it.' });
  }
  try {
    return readFileSync(file, 'utf8').trim() || null;
  } catch {
    return null;
  }
}

/** Keeps the key for the next boot. */
export function writeKeyFile(db: string, key: string): void {
  if (db === ':memory:' || readKeyFile(db) === key) return;
  writeFileSync(`${db}.key`, `${key}\n`, { mode: 0o600 });
}
