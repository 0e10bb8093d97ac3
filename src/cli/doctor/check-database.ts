/** The database: of the emulator that runs, or the file that the next one will use. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { createFindingBuilder, type Finding } from '../../control/finding.ts';
import type { IntegrityReport } from '../../store/integrity-check.ts';
import { formatSize } from '../render/size.ts';
import type { RunningEmulator } from './check-emulator.ts';

const database = createFindingBuilder('database', 'Database');

/** Asks the emulator, which has its file to itself. */
export async function checkDatabase({ control, status }: RunningEmulator): Promise<Finding> {
  const {
    size_bytes: sizeBytes,
    schema_version: schemaVersion,
    damage,
  } = (await control.getDiagnosis({})).database;
  return toFinding(status.db, { sizeBytes, schemaVersion, damage });
}

/** Looks into the file that nobody uses. */
export async function checkDatabaseFile(path: string): Promise<Finding> {
  if (path === ':memory:') return database.ok('in memory');
  const obstacle = findAccessProblem(path);
  if (obstacle !== null) {
    return database.problem(obstacle, 'Take the right to write there, or name another file with --db.');
  }
  try {
    const { checkFileIntegrity } = await import('../../store/integrity-check.ts');
    const state = checkFileIntegrity(path);
    if (state === null) return database.ok(`${path} is made at the first start`);
    if (state.schemaVersion > state.newestSchemaVersion) {
      const remedy = 'Upgrade svc, or name another file with --db.';
      return database.problem(`${path} was made by a newer svc`, remedy);
    }
    return toFinding(path, state);
  } catch (error) {
    return database.fromError(error);
  }
}

function toFinding(
  path: string,
  { sizeBytes, schemaVersion, damage }: Pick<IntegrityReport, 'sizeBytes' | 'schemaVersion' | 'damage'>,
): Finding {
  return damage.length === 0
    ? database.ok(`${path}, ${formatSize(sizeBytes)}, schema ${schemaVersion}, sound`)
    : database.problem(
        `${path} is damaged: ${damage.join('; ')}`,
        'Move it away to start with an empty one.',
      );
}

/** Why a file cannot be written, or made where it does not exist yet; null when it can. */
function findAccessProblem(path: string): string | null {
  let place = path;
  while (!existsSync(place) && place !== dirname(place)) place = dirname(place);
  if (place !== path && !statSync(place).isDirectory()) return `${place} is no folder`;
  // SQLite keeps files of its own beside the one.
  const places = place === path ? [path, dirname(path)] : [place];
  return places.map(findPermissionError).find((refusal) => refusal !== null) ?? null;
}

function findPermissionError(path: string): string | null {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return null;
  } catch (error) {
    return `${path} cannot be written: ${(error as Error).message}`;
  }
}
