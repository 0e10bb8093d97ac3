/** The API key of a database, kept beside it: the store itself has only a hash, and the key should outlive a restart. */
import { readFileSync, writeFileSync } from 'node:fs';

/** @returns null when none was kept. */
export function findKeptKey(db: string): string | null {
  try {
    return readFileSync(pathFor(db), 'utf8').trim();
  } catch {
    return null;
  }
}

/** A database in memory has nothing to go on from. */
export function keepKey(db: string, key: string): void {
  if (db !== ':memory:') writeFileSync(pathFor(db), `${key}\n`, { mode: 0o600 });
}

function pathFor(db: string): string {
  return `${db}.key`;
}
