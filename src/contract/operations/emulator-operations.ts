/** Operations for the emulator: status, reset, snapshots, stop. */
import * as v from 'valibot';
import { Diagnosis, EmulatorStatus, SavedSnapshot } from '../emulator-schemas.ts';
import { noInput } from '../fields.ts';
import { defineOperations } from '../operation.ts';

/** Absolute, because the emulator can run in another folder than its client. */
const FilePath = v.pipe(v.string(), v.regex(/^(\/|[A-Za-z]:[\\/]|\\\\)/, 'must be an absolute path'));

export const emulatorOperations = defineOperations({
  getStatus: {
    method: 'GET',
    path: '/status',
    input: noInput,
    output: EmulatorStatus,
    status: 200,
  },
  getDiagnosis: {
    method: 'GET',
    path: '/diagnosis',
    input: noInput,
    output: Diagnosis,
    status: 200,
  },
  reset: {
    method: 'POST',
    path: '/reset',
    input: noInput,
    output: EmulatorStatus,
    status: 200,
  },
  saveSnapshot: {
    method: 'POST',
    path: '/snapshot/save',
    input: v.strictObject({ path: FilePath }),
    output: SavedSnapshot,
    status: 200,
    errors: ['usage'],
  },
  loadSnapshot: {
    method: 'POST',
    path: '/snapshot/load',
    input: v.strictObject({ path: FilePath }),
    output: EmulatorStatus,
    status: 200,
    errors: ['usage', 'validation_failed'],
  },
  restoreDatabase: {
    method: 'POST',
    path: '/database/restore',
    input: noInput,
    output: EmulatorStatus,
    status: 200,
    errors: ['conflict', 'storage_unavailable'],
  },
  stop: {
    method: 'POST',
    path: '/stop',
    input: noInput,
    output: v.object({ stopping: v.literal(true) }),
    status: 202,
  },
});
