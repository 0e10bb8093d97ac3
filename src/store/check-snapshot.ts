/** Checks a snapshot before it is loaded: its file, schema, damage and rows. It is untrusted: anyone may have written it. */
import { closeSync, createReadStream, createWriteStream, mkdtempSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type Database from 'better-sqlite3';
import { LAST_TIME } from '../domain/clock.ts';
import type { Environment } from '../domain/credentials.ts';
import { describeFileError } from '../domain/message-parts.ts';
import { quoteForShell } from '../domain/shell.ts';
import { SvcError } from '../errors.ts';
import { openRegularFile, RefusedFileError } from '../read-regular-file.ts';
import { monotonic, SLICE_MS, yieldToEventLoop } from '../timers.ts';
import { listProblems } from '../validation/validate.ts';
import { APPLICATION_ID, HEADER_BYTES, readApplicationId, SNAPSHOT_APPLICATION_ID } from './database.ts';
import { SAVED_AT_SETTING } from './database-copy.ts';
import { openSqlite } from './driver.ts';
import { rowSchemas } from './row-schemas.ts';
import { hasExactSchema, SettingTable } from './schema.ts';
import { Sql } from './sql.ts';

/** A snapshot that passed all checks. */
interface CheckedSnapshot {
  /** Path of a private copy. */
  readonly path: string;
  /** Wall time of the saved state. */
  readonly savedAt: number;
  /** Removes the copy. */
  remove(): void;
}

/** Much larger than databases get by default, and small enough for the folder of temporary files. docs/state.md states it. */
const SNAPSHOT_LIMIT_BYTES = 16 * 2 ** 30;

/**
 * Copies and checks a snapshot. The file itself is not changed.
 * @throws SvcError `usage` if it cannot be read, `validation_failed` if it is not a valid snapshot of `environment`.
 */
export async function checkSnapshot(path: string, environment: Environment): Promise<CheckedSnapshot> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-snapshot-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const copy = join(folder, 'snapshot.db');
  try {
    await copySnapshot(path, copy);
    return { path: copy, savedAt: await checkCopy(copy, path, environment), remove };
  } catch (error) {
    remove();
    throw toLoadError(error, path);
  }
}

/** Refuses files that are not snapshots. */
async function copySnapshot(from: string, to: string): Promise<void> {
  const file = openRegularFile(from, SNAPSHOT_LIMIT_BYTES);
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(file, header, 0, HEADER_BYTES, 0);
    const id = readApplicationId(header);
    if (id === APPLICATION_ID) {
      const command = `svc emulator start --db ${quoteForShell(from)}`;
      throw createNotASnapshotError(from, { text: 'Use it as the database instead', command });
    }
    if (id !== SNAPSHOT_APPLICATION_ID) throw createNotASnapshotError(from);
    await pipeline(
      createReadStream('', { fd: file, start: 0, autoClose: false }),
      createWriteStream(to, { flags: 'wx', mode: 0o600 }),
    );
  } finally {
    closeSync(file);
  }
}

/**
 * @param path of the original, for messages.
 * @returns the wall time of the saved state.
 */
async function checkCopy(copy: string, path: string, environment: Environment): Promise<number> {
  const db = openSqlite(copy);
  try {
    // The schema may contain triggers and views, which must not run before the schema was checked.
    db.pragma('trusted_schema = OFF');
    db.pragma('cell_size_check = ON');
    if (!hasExactSchema(db))
      throw createDamagedSnapshotError(path, 'its schema differs from that of a snapshot');
    const damage = findDamage(db);
    if (damage !== null) throw createDamagedSnapshotError(path, damage);
    const invalidRow = await findInvalidRow(db);
    if (invalidRow !== null) throw createDamagedSnapshotError(path, invalidRow);
    const settings = new SettingTable(new Sql(db));
    const owner = settings.find('environment');
    if (owner !== environment) {
      throw new SvcError(
        'validation_failed',
        `${path} belongs to the ${owner} environment, but this emulator runs as ${environment}.`,
        { hint: `Start an emulator with the environment ${owner} to load it.` },
      );
    }
    const savedAt = Number(settings.find(SAVED_AT_SETTING));
    assertTimesInRange(db, path, savedAt);
    return savedAt;
  } finally {
    db.close();
  }
}

/** Clocks continue from the time of the snapshot and must stay within the years that ISO 8601 can express. */
function assertTimesInRange(db: Database.Database, path: string, savedAt: number): void {
  const latestClock = db
    .prepare<{ savedAt: number }, number>(
      'SELECT max(clock_at + max(0, @savedAt - clock_wall_at)) FROM workspaces',
    )
    .pluck();
  if (!(savedAt >= 0 && savedAt <= LAST_TIME))
    throw createDamagedSnapshotError(path, 'the time at which it was saved is missing or invalid');
  if ((latestClock.get({ savedAt }) ?? 0) > LAST_TIME)
    throw createDamagedSnapshotError(path, 'a clock is past the year 9999');
}

function findDamage(db: Database.Database): string | null {
  const result = String(db.pragma('integrity_check(1)', { simple: true }));
  if (result !== 'ok') return result;
  const [violation] = db.pragma('foreign_key_check') as { table: string; parent: string }[];
  return violation ? `a row of ${violation.table} refers to a missing row of ${violation.parent}` : null;
}

/** Describes the first row that the schema of its table does not accept; null if there is none. */
async function findInvalidRow(db: Database.Database): Promise<string | null> {
  let endsAt = monotonic() + SLICE_MS;
  for (const [table, schema] of Object.entries(rowSchemas)) {
    const columns =
      table === 'events'
        ? '*, (SELECT id FROM workspaces w WHERE w.seq = workspace_seq) AS workspace_id'
        : '*';
    for (const row of db.prepare(`SELECT ${columns} FROM ${table}`).iterate()) {
      const [problem] = listProblems(schema, row);
      if (problem !== undefined) return `a row of ${table} has an invalid ${problem.keys[0]}`;
      if (monotonic() < endsAt) continue;
      await yieldToEventLoop();
      endsAt = monotonic() + SLICE_MS;
    }
  }
  return null;
}

function createNotASnapshotError(
  path: string,
  hint = { text: 'Save one', command: 'svc emulator snapshot save FILE' },
): SvcError {
  return new SvcError('validation_failed', `${path} is not a snapshot.`, { hint });
}

function createDamagedSnapshotError(path: string, damage: string): SvcError {
  return new SvcError('validation_failed', `${path} is damaged: ${damage}.`, {
    hint: 'Save the snapshot again, or restore the file from a backup. Nothing was loaded.',
  });
}

function toLoadError(error: unknown, path: string): unknown {
  if (error instanceof SvcError) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new SvcError('usage', `The file ${path} does not exist.`, { cause: error });
  if (code === 'SQLITE_NOTADB') return createNotASnapshotError(path);
  if (code === 'SQLITE_CORRUPT') return createDamagedSnapshotError(path, message);
  return new SvcError('usage', `The snapshot ${path} cannot be read: ${describeFileError(error)}.`, {
    hint: error instanceof RefusedFileError ? error.hint : null,
    cause: error,
  });
}
