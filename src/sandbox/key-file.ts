/** The default key of a database, kept beside it for its owner alone: the database itself holds only a hash. */
import { readFileSync, writeFileSync } from 'node:fs';

/** The key of an earlier boot; null when there is none that can be read. */
export function findKey(db: string): string | null {
  if (db === ':memory:') return null;
  try {
    return readFileSync(`${db}.key`, 'utf8').trim() || null;
  } catch {
    return null;
  }
}

/** Keeps the key for the next boot. */
export function keepKey(db: string, key: string): void {
  if (db === ':memory:' || findKey(db) === key) return;
  writeFileSync(`${db}.key`, `${key}\n`, { mode: 0o600 });
}
