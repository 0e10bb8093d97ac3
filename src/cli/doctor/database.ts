/** The database: of the emulator that runs, or the file that the next one will use. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { about, type Finding } from '../../control/finding.ts';
import type { DatabaseState } from '../../store/inspection.ts';
import { formatSize } from '../render/size.ts';
import type { Running } from './running.ts';

const database = about('database', 'Database');

/** Asks the emulator, which has its file to itself. */
export async function checkDatabase({ control, status }: Running): Promise<Finding> {
  const {
    size_bytes: sizeBytes,
    schema_version: schemaVersion,
    damage,
  } = (await control.getDiagnosis({})).database;
  return judge(status.db, { sizeBytes, schemaVersion, damage });
}

/** Looks into the file that nobody uses. */
export async function checkDatabaseFile(path: string): Promise<Finding> {
  if (path === ':memory:') return database.ok('in memory');
  const obstacle = findObstacle(path);
  if (obstacle !== null) {
    return database.problem(obstacle, 'Take the right to write there, or name another file with --db.');
  }
  try {
    const { inspectDatabaseFile } = await import('../../store/inspection.ts');
    const state = inspectDatabaseFile(path);
    if (state === null) return database.ok(`${path} is made at the first start`);
    if (state.schemaVersion > state.newestSchemaVersion) {
      const remedy = 'Upgrade svc, or name another file with --db.';
      return database.problem(`${path} was made by a newer svc`, remedy);
    }
    return judge(path, state);
  } catch (error) {
    return database.failed(error);
  }
}

function judge(
  path: string,
  { sizeBytes, schemaVersion, damage }: Pick<DatabaseState, 'sizeBytes' | 'schemaVersion' | 'damage'>,
): Finding {
  return damage.length === 0
    ? database.ok(`${path}, ${formatSize(sizeBytes)}, schema ${schemaVersion}, sound`)
    : database.problem(
        `${path} is damaged: ${damage.join('; ')}`,
        'Move it away to start with an empty one.',
      );
}

/** Why a file cannot be written, or made where it does not exist yet; null when it can. */
function findObstacle(path: string): string | null {
  let place = path;
  while (!existsSync(place) && place !== dirname(place)) place = dirname(place);
  if (place !== path && !statSync(place).isDirectory()) return `${place} is no folder`;
  // SQLite keeps files of its own beside the one.
  const places = place === path ? [path, dirname(path)] : [place];
  return places.map(findRefusal).find((refusal) => refusal !== null) ?? null;
}

function findRefusal(path: string): string | null {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return null;
  } catch (error) {
    return `${path} cannot be written: ${(error as Error).message}`;
  }
}
