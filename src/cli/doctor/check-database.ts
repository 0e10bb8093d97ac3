/** Checks the SQLite driver, and the database of the running emulator or the file that the next one will use. */
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { createFindingBuilder, type Finding } from '../../client/findings.ts';
import { describeFileError } from '../../domain/message-parts.ts';
import { isSingleExecutable } from '../../package-files.ts';
import type { IntegrityReport } from '../../store/database.ts';
import { formatSize } from '../render/format.ts';
import type { RunningEmulator } from './check-emulator.ts';

const driver = createFindingBuilder('sqlite', 'SQLite driver');

/**
 * With version 12 of better-sqlite3, Node.js 24.19 and later abort during these statements, when garbage collection starts.
 * Their number is high enough that it does.
 */
const STATEMENT_LOOP = `
  const Database = require(process.argv[1]);
  const db = new Database(':memory:');
  for (let i = 0; i < 20000; i++) db.prepare('select ' + i).get();
`;

/** Loads the driver, then runs many statements in a child process, which can crash. */
export async function checkSqliteDriver(signal: AbortSignal): Promise<Finding> {
  try {
    const { openSqlite, resolveDriver } = await import('../../store/driver.ts');
    const db = openSqlite(':memory:');
    const version = db.prepare('SELECT sqlite_version()').pluck().get();
    db.close();
    // The single executable contains a driver and a Node.js that were tested together.
    if (!isSingleExecutable) {
      await promisify(execFile)(process.execPath, ['-e', STATEMENT_LOOP, resolveDriver()], { signal });
    }
    return driver.ok(`SQLite ${version}`);
  } catch (error) {
    const { signal: endSignal } = error as { signal?: string };
    if (typeof endSignal !== 'string') return driver.fromError(error);
    return driver.problem(
      `better-sqlite3 crashes on Node.js ${process.versions.node} (${endSignal})`,
      'Use Node.js 22 or later with better-sqlite3 13.',
    );
  }
}

const database = createFindingBuilder('database', 'Database');

/** Asks the emulator, which has locked its file. */
export async function checkDatabase({ control, status }: RunningEmulator): Promise<Finding> {
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

/** Why a file cannot be written or created; null when it can. */
function findAccessProblem(path: string): string | null {
  let existing = path;
  while (!existsSync(existing) && existing !== dirname(existing)) existing = dirname(existing);
  if (existing !== path && !statSync(existing).isDirectory()) return `${existing} is not a folder`;
  // SQLite creates more files in the folder.
  const writtenPaths = existing === path ? [path, dirname(path)] : [existing];
  return writtenPaths.map(findPermissionError).find((problem) => problem !== null) ?? null;
}

function findPermissionError(path: string): string | null {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return null;
  } catch (error) {
    return `${path} cannot be written: ${describeFileError(error)}`;
  }
}
