/** Loading a snapshot, which may be of another store. */
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Environment } from '../domain/access.ts';
import { SvcError } from '../errors.ts';
import { APPLICATION_ID, migrate, SNAPSHOT_ID } from './database.ts';
import { listColumns, listTableNames } from './schema.ts';
import { SAVED_AT } from './snapshot-saving.ts';

/** A snapshot that was found fit to be loaded. */
export interface FitSnapshot {
  /** A copy, which may be locked and changed. */
  readonly path: string;
  /** Wall time of what it holds. */
  readonly savedAt: number;
  /** Removes the copy. */
  remove(): void;
}

/**
 * Checks a snapshot; the file itself is only read.
 * @throws SvcError `usage` when it cannot be read, `validation_failed` when it is not what it should be.
 */
export function checkSnapshot(path: string, environment: Environment): FitSnapshot {
  const folder = mkdtempSync(join(tmpdir(), 'svc-snapshot-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const copy = join(folder, 'snapshot.db');
  try {
    copyFileSync(path, copy);
    chmodSync(copy, 0o600);
    return { path: copy, savedAt: check(copy, path, environment), remove };
  } catch (error) {
    remove();
    throw toRefusal(error, path);
  }
}

function check(copy: string, path: string, environment: Environment): number {
  const db = new Database(copy);
  try {
    const id = db.pragma('application_id', { simple: true });
    if (id === APPLICATION_ID) throw notASnapshot(path, `Start an emulator on it instead: --db ${path}`);
    if (id !== SNAPSHOT_ID) throw notASnapshot(path);
    const damage = findDamage(db);
    if (damage !== null) throw damaged(path, damage);
    migrate(db, path);
    const find = db.prepare<[string], string>('SELECT value FROM settings WHERE key = ?').pluck();
    const owner = find.get('environment');
    if (owner !== environment) {
      throw new SvcError(
        'validation_failed',
        `${path} is of the ${owner} environment, not of ${environment}.`,
        {
          hint: 'The two environments share no data: start an emulator with --environment of that name.',
        },
      );
    }
    return Number(find.get(SAVED_AT));
  } finally {
    db.close();
  }
}

function findDamage(db: Database.Database): string | null {
  const verdict = String(db.pragma('integrity_check(1)', { simple: true }));
  if (verdict !== 'ok') return verdict;
  const [broken] = db.pragma('foreign_key_check') as { table: string; parent: string }[];
  return broken ? `${broken.table} refer to ${broken.parent} that are not there` : null;
}

function notASnapshot(path: string, hint = 'svc emulator snapshot save makes one.'): SvcError {
  return new SvcError('validation_failed', `${path} is not a snapshot.`, { hint });
}

function damaged(path: string, damage: string): SvcError {
  return new SvcError('validation_failed', `${path} is damaged: ${damage}.`, {
    hint: 'Nothing was loaded. Save it anew, or take it from a backup.',
  });
}

function toRefusal(error: unknown, path: string): unknown {
  if (error instanceof SvcError) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new SvcError('usage', `There is no file ${path}.`, { cause: error });
  if (code === 'SQLITE_NOTADB') return notASnapshot(path);
  if (code === 'SQLITE_CORRUPT') return damaged(path, message);
  return new SvcError('usage', `The snapshot ${path} cannot be read: ${message}.`, { cause: error });
}

/**
 * Replaces every row of `main` by those of the attached `snapshot`; what the store knows about itself stays. Inside a
 * transaction that checks no foreign keys.
 * @param offset is added to each place in the order of things, so that none is given a second time.
 */
export function replaceRows(db: Database.Database, offset: number): void {
  for (const table of listTableNames(db).filter((name) => name !== 'settings')) {
    const columns = listColumns(db, table).map(({ name }) => name);
    const values = columns.map((name) => (/(?:^|_)seq$/.test(name) ? `${name} + ${offset}` : name));
    db.exec(
      `DELETE FROM main.${table};
       INSERT INTO main.${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM snapshot.${table};`,
    );
  }
}
