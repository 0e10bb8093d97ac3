import { it } from 'vitest';
import { createEmulator } from '../../src/index.ts';
import { useWorkspacesConcurrently } from '../library/concurrent-workspaces.ts';

const RUNS = 20;

it(
  `a hundred parallel tests share an emulator, ${RUNS} times in a row`,
  async () => {
    await using emulator = await createEmulator();
    for (let run = 0; run < RUNS; run++) await useWorkspacesConcurrently(emulator, 100);
  },
  RUNS * 60_000,
);
