/** The emulator as a whole: what runs, going back, snapshots, the end. */
import * as v from 'valibot';
import { Diagnosis, EmulatorStatus, SavedSnapshot } from '../emulator-schemas.ts';
import { noInput } from '../fields.ts';
import { defineOperations } from '../operation.ts';

/** The emulator may run in another folder than who asks. */
const FilePath = v.pipe(v.string(), v.regex(/^(\/|[A-Za-z]:[\\/]|\\\\)/, 'must be an absolute path'));

export const emulatorOperations = defineOperations({
  getStatus: {
    method: 'GET',
    path: '/status',
    summary: 'What runs here',
    input: noInput,
    output: EmulatorStatus,
    status: 200,
  },
  getDiagnosis: {
    method: 'GET',
    path: '/diagnosis',
    summary: 'Check the database; reads all of it, and nothing else is answered meanwhile',
    input: noInput,
    output: Diagnosis,
    status: 200,
  },
  reset: {
    method: 'POST',
    path: '/reset',
    summary: 'Give back exactly the state after boot, or after the last snapshot was loaded',
    input: noInput,
    output: EmulatorStatus,
    status: 200,
  },
  saveSnapshot: {
    method: 'POST',
    path: '/snapshot/save',
    summary: 'Write everything into one file of the machine of the emulator; whole or not at all',
    input: v.strictObject({ path: FilePath }),
    output: SavedSnapshot,
    status: 200,
    errors: ['usage'],
  },
  loadSnapshot: {
    method: 'POST',
    path: '/snapshot/load',
    summary: 'Replace everything by a snapshot, and go on from there',
    input: v.strictObject({ path: FilePath }),
    output: EmulatorStatus,
    status: 200,
    errors: ['usage', 'validation_failed', 'database_unusable'],
  },
  restoreDatabase: {
    method: 'POST',
    path: '/database/restore',
    summary: 'Write the database file again after it was removed while the emulator runs',
    input: noInput,
    output: EmulatorStatus,
    status: 200,
    errors: ['conflict', 'storage_unavailable'],
  },
  stop: {
    method: 'POST',
    path: '/stop',
    summary: 'Stop the emulator',
    input: noInput,
    output: v.object({ stopping: v.literal(true) }),
    status: 202,
  },
});
