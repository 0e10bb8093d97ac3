import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { checkDatabase, checkDatabaseFile } from '../../../src/cli/doctor/check-database.ts';
import type { ControlPlane } from '../../../src/contract/control-plane.ts';
import type { EmulatorStatus } from '../../../src/contract/emulator-schemas.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const disk = vi.hoisted(() => ({ freeBlocks: 2 ** 30 }));
vi.mock('node:fs', async (importOriginal) => ({
  ...(await importOriginal<object>()),
  statfsSync: () => ({ bavail: disk.freeBlocks, bsize: 4096 }),
}));

it('a full disk is a problem, for the database of an emulator and for one that no emulator uses', async () => {
  const path = join(createTemporaryFolder(), '.svc/sandbox.db');
  mkdirSync(dirname(path));
  writeFileSync(path, '');
  const report = { size_bytes: 4096, damage: [] };
  const control = { getDiagnosis: async () => ({ database: report }) } as unknown as ControlPlane;
  const check = (db: string) =>
    Promise.all([checkDatabaseFile(db), checkDatabase({ control, status: { db } as EmulatorStatus })]);
  expect((await check(path)).map(({ status }) => status)).toEqual(['ok', 'ok']);
  disk.freeBlocks = 10;
  const problem = { status: 'problem', detail: `the disk of ${path} has only 40 KiB free` };
  expect(await check(path)).toMatchObject([problem, problem]);
  expect((await check(':memory:')).map(({ status }) => status)).toEqual(['ok', 'ok']);
});
