/** Checks the SQLite driver, and the database of the running emulator or the file that the next one will use. */
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { createFindingBuilder, type Finding } from '../../client/findings.ts';
import { describeFileError } from '../../domain/message-parts.ts';
import type { IntegrityReport } from '../../store/database.ts';
import { formatSize } from '../render/format.ts';
import type { RunningEmulator } from './check-emulator.ts';

const driver = createFindingBuilder('sqlite', 'SQLite driver');

export async function checkSqliteDriver(): Promise<Finding> {
  try {
    const { openSqlite } = await import('../../store/driver.ts');
    const db = openSqlite(':memory:');
    const version = db.prepare('SELECT sqlite_version()').pluck().get();
    db.close();
    return driver.ok(`SQLite ${version}`);
  } catch (error) {
    return driver.fromError(error);
  }
}

const database = createFindingBuilder('database', 'Database');

/** Asks the emulator, which has locked its file. */
export async function checkDatabase({ control, status }: RunningEmulator): Promise<Finding> {
  const fullDisk = status.db === ':memory:' ? null : findFullDisk(status.db);
  if (fullDisk !== null) return fullDisk;
  const { size_bytes: sizeBytes, damage } = (await control.getDiagnosis({})).database;
  return toFinding(status.db, { sizeBytes, damage });
}

/** Opens the file, which no emulator uses. */
export async function checkDatabaseFile(path: string): Promise<Finding> {
  if (path === ':memory:') return database.ok('in memory');
  const accessProblem = findAccessProblem(path);
  if (accessProblem !== null) {
    return database.problem(accessProblem, 'Make it writable, or choose another file with --db or SVC_DB.');
  }
  const fullDisk = findFullDisk(path);
  if (fullDisk !== null) return fullDisk;
  try {
    const { checkFileIntegrity } = await import('../../store/database.ts');
    const report = checkFileIntegrity(path);
    if (report === null) return database.ok(`${path} will be created when the emulator first starts`);
    return toFinding(path, report);
  } catch (error) {
    return database.fromError(error);
  }
}

function toFinding(path: string, { sizeBytes, damage }: IntegrityReport): Finding {
  return damage.length === 0
    ? database.ok(`${path}, ${formatSize(sizeBytes)}, intact`)
    : database.problem(
        `${path} is damaged: ${damage.join('; ')}`,
        'Move it to another folder to start with an empty database.',
      );
}

/** Free space below which a start or a write soon fails. A new database and its log need 0.4 MB. */
const MIN_FREE_BYTES = 4 * 2 ** 20;

/** A problem if the disk of a file that exists or will be created is full. */
function findFullDisk(path: string): Finding | null {
  const { bavail, bsize } = statfsSync(findExisting(path));
  const freeBytes = bavail * bsize;
  if (freeBytes >= MIN_FREE_BYTES) return null;
  return database.problem(
    `the disk of ${path} has only ${formatSize(freeBytes)} free`,
    'Free space on this disk, or choose a file on another one with --db or SVC_DB.',
  );
}

/** Why a file cannot be written or created; null when it can. */
function findAccessProblem(path: string): string | null {
  const existing = findExisting(path);
  if (existing !== path && !statSync(existing).isDirectory()) return `${existing} is not a folder`;
  // SQLite creates more files in the folder.
  const writtenPaths = existing === path ? [path, dirname(path)] : [existing];
  return writtenPaths.map(findPermissionError).find((problem) => problem !== null) ?? null;
}

/** The path, or the nearest folder above it that exists. */
function findExisting(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : findExisting(dirname(path));
}

function findPermissionError(path: string): string | null {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return null;
  } catch (error) {
    return `${path} cannot be written: ${describeFileError(error)}`;
  }
}
