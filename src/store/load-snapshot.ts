/** Loading a snapshot, which may be of another store, or a file that somebody made to look like one. */
import { constants, createWriteStream, lstatSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type Database from 'better-sqlite3';
import { LAST_TIME } from '../domain/clock.ts';
import { HOUR_MS } from '../domain/duration.ts';
import type { Environment } from '../domain/environment.ts';
import { SvcError } from '../errors.ts';
import { APPLICATION_ID, migrate, SNAPSHOT_APPLICATION_ID } from './database.ts';
import { openSqlite } from './driver.ts';
import { migrations } from './migrations.ts';
import { SAVED_AT_SETTING } from './save-snapshot.ts';
import { listColumns, listSequencedTables, listTableNames } from './schema.ts';
import { findInvalidRow } from './snapshot-row-checks.ts';
import { deleteUnpublished } from './unpublished-event.ts';

/** A snapshot that was checked and may be loaded. */
export interface CheckedSnapshot {
  /** A copy, which may be locked and changed. */
  readonly path: string;
  /** Wall time of what it holds. */
  readonly savedAt: number;
  /** Removes the copy. */
  remove(): void;
}

const COPY_PREFIX = 'svc-snapshot-';
/** Longer than any load takes: a copy of that age was left by a process that was killed. */
const ABANDONED_AFTER_MS = HOUR_MS;

/**
 * Checks a snapshot; the file itself is only read.
 * @throws SvcError `usage` when it cannot be read, `validation_failed` when it is not what it should be.
 */
export async function checkSnapshot(path: string, environment: Environment): Promise<CheckedSnapshot> {
  const folder = mkdtempSync(join(tmpdir(), COPY_PREFIX));
  removeAbandonedCopies(statSync(folder).mtimeMs);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const copy = join(folder, 'snapshot.db');
  try {
    await copyRegularFile(path, copy);
    return { path: copy, savedAt: await checkCopy(copy, path, environment), remove };
  } catch (error) {
    remove();
    throw toLoadError(error, path);
  }
}

function removeAbandonedCopies(now: number): void {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(COPY_PREFIX))) {
    const path = join(tmpdir(), name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!stat?.isDirectory() || stat.uid !== (process.getuid?.() ?? stat.uid)) continue;
    if (now - stat.mtimeMs > ABANDONED_AFTER_MS) rmSync(path, { recursive: true, force: true });
  }
}

/** Opening a FIFO waits for its other end, and reading a device need not end: neither is done. */
async function copyRegularFile(from: string, to: string): Promise<void> {
  const file = await open(from, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!(await file.stat()).isFile()) {
      throw new SvcError('usage', `${from} is not a regular file.`, { hint: 'Name a snapshot.' });
    }
    await pipeline(
      file.createReadStream({ autoClose: false }),
      createWriteStream(to, { flags: 'wx', mode: 0o600 }),
    );
  } finally {
    await file.close();
  }
}

async function checkCopy(copy: string, path: string, environment: Environment): Promise<number> {
  const db = openSqlite(copy);
  try {
    // Nothing that its schema names is run before that schema is known to be ours.
    db.pragma('trusted_schema = OFF');
    db.pragma('cell_size_check = ON');
    const id = db.pragma('application_id', { simple: true });
    if (id === APPLICATION_ID) throw notASnapshotError(path, `Start an emulator on it instead: --db ${path}`);
    if (id !== SNAPSHOT_APPLICATION_ID) throw notASnapshotError(path);
    assertKnownSchema(db, path);
    const damage = findDamage(db);
    if (damage !== null) throw damagedSnapshotError(path, damage);
    migrate(db, path);
    const wrong = await findInvalidRow(db);
    if (wrong !== null) throw damagedSnapshotError(path, wrong);
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
    const savedAt = Number(find.get(SAVED_AT_SETTING));
    assertTimesInRange(db, path, savedAt);
    return savedAt;
  } finally {
    db.close();
  }
}

/**
 * Compares tables, indexes, views and triggers with those that the migrations make, to the letter.
 * @throws SvcError `validation_failed` for another schema, and for that of a newer version.
 */
function assertKnownSchema(db: Database.Database, path: string): void {
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version > migrations.length) {
    throw new SvcError(
      'validation_failed',
      `${path} was made by a newer svc: its schema is version ${version}, this svc knows up to ${migrations.length}.`,
      { hint: 'Upgrade svc, or save the snapshot with this version.' },
    );
  }
  const ours = openSqlite(':memory:');
  try {
    for (const step of migrations.slice(0, version)) ours.exec(step);
    if (version < 1 || readSchema(db) !== readSchema(ours)) {
      throw damagedSnapshotError(path, 'its schema is not that of a snapshot');
    }
  } finally {
    ours.close();
  }
}

function readSchema(db: Database.Database): string {
  return JSON.stringify(
    db
      .prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name, tbl_name')
      .raw()
      .all(),
  );
}

/** Clocks go on from the time of the snapshot, and must not leave the years that can be written. */
function assertTimesInRange(db: Database.Database, path: string, savedAt: number): void {
  const reached = db
    .prepare<{ savedAt: number }, number>(
      'SELECT max(clock_at + max(0, @savedAt - clock_wall_at)) FROM workspaces',
    )
    .pluck();
  if (!(savedAt >= 0 && savedAt <= LAST_TIME))
    throw damagedSnapshotError(path, 'it does not say when it was saved');
  if ((reached.get({ savedAt }) ?? 0) > LAST_TIME)
    throw damagedSnapshotError(path, 'a clock is past the year 9999');
}

function findDamage(db: Database.Database): string | null {
  const verdict = String(db.pragma('integrity_check(1)', { simple: true }));
  if (verdict !== 'ok') return verdict;
  // A snapshot that was saved while an event was being written to many endpoints.
  deleteUnpublished(db);
  const [broken] = db.pragma('foreign_key_check') as { table: string; parent: string }[];
  return broken ? `${broken.table} refer to ${broken.parent} that are not there` : null;
}

function notASnapshotError(path: string, hint = 'svc emulator snapshot save makes one.'): SvcError {
  return new SvcError('validation_failed', `${path} is not a snapshot.`, { hint });
}

function damagedSnapshotError(path: string, damage: string): SvcError {
  return new SvcError('validation_failed', `${path} is damaged: ${damage}.`, {
    hint: 'Nothing was loaded. Save it anew, or take it from a backup.',
  });
}

function toLoadError(error: unknown, path: string): unknown {
  if (error instanceof SvcError) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new SvcError('usage', `There is no file ${path}.`, { cause: error });
  if (code === 'SQLITE_NOTADB') return notASnapshotError(path);
  if (code === 'SQLITE_CORRUPT') return damagedSnapshotError(path, message);
  return new SvcError('usage', `The snapshot ${path} cannot be read: ${message}.`, { cause: error });
}

/**
 * Replaces every row of `main` by those of the attached `snapshot`; what the store knows about itself stays. Inside a
 * transaction that checks no foreign keys.
 * @param lastSeq the last place in the order of things that was given: what is loaded comes after it.
 */
export function replaceRows(db: Database.Database, lastSeq: number): void {
  const firsts = listSequencedTables(db).map((table) =>
    db.prepare<[], number | null>(`SELECT min(seq) FROM snapshot.${table}`).pluck().get(),
  );
  const first = Math.min(...firsts.map((seq) => seq ?? Number.POSITIVE_INFINITY));
  const offset = Number.isFinite(first) ? lastSeq + 1 - first : 0;
  for (const table of listTableNames(db).filter((name) => name !== 'settings')) {
    const columns = listColumns(db, table).map(({ name }) => name);
    const values = columns.map((name) => (/(?:^|_)seq$/.test(name) ? `${name} + ${offset}` : name));
    db.exec(
      `DELETE FROM main.${table};
       INSERT INTO main.${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM snapshot.${table};`,
    );
  }
}
