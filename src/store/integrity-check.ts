/** Checks a database for damage and reports its size and schema version. */
import { existsSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { assertApplicationId, assertSingleLink, toStoreError } from './database.ts';
import { openSqlite } from './driver.ts';
import { migrations } from './migrations.ts';

export interface IntegrityReport {
  readonly sizeBytes: number;
  /** If this is below the newest version, the database is upgraded when it is next opened for use. */
  readonly schemaVersion: number;
  readonly newestSchemaVersion: number;
  /** Messages of SQLite about damage; empty for an intact database. */
  readonly damage: readonly string[];
}

const MAX_MESSAGES = 5;

/** Reads the whole database; takes seconds if it is large. */
export function checkIntegrity(db: Database.Database): IntegrityReport {
  const readPragma = (name: string) => Number(db.pragma(name, { simple: true }));
  return {
    sizeBytes: readPragma('page_count') * readPragma('page_size'),
    schemaVersion: readPragma('user_version'),
    newestSchemaVersion: migrations.length,
    damage: findDamage(db),
  };
}

function findDamage(db: Database.Database): string[] {
  try {
    const rows = db.pragma(`quick_check(${MAX_MESSAGES})`) as { quick_check: string }[];
    return rows.map(({ quick_check: message }) => message).filter((message) => message !== 'ok');
  } catch (error) {
    // Some damage makes the check itself fail.
    if ((error as { code?: unknown }).code === 'SQLITE_CORRUPT') return [(error as Error).message];
    throw error;
  }
}

/**
 * Like {@link checkIntegrity}, for a file that no process has open. The file is not changed.
 * @returns null if the file does not exist.
 * @throws SvcError `database_in_use` or `database_unusable`.
 */
export function checkFileIntegrity(path: string): IntegrityReport | null {
  if (!existsSync(path)) return null;
  let db: Database.Database | undefined;
  try {
    assertSingleLink(path);
    db = openSqlite(path, { readonly: true, timeout: 0 });
    assertApplicationId(db, path);
    return checkIntegrity(db);
  } catch (error) {
    throw toStoreError(error, path);
  } finally {
    db?.close();
  }
}
