/** Removes the database of a busy emulator, and restores it. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { audit } from './audit.ts';
import { settle, startUnderLoad } from './load.ts';
import { databaseIn } from './svc-process.ts';

const losses = Number(process.env.TORTURE_LOSSES ?? 5);
const seed = Number(process.env.TORTURE_SEED ?? Math.floor(Math.random() * 2 ** 32));

function emptyFolder(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
}

describe.skipIf(process.platform === 'win32')(
  `an emulator whose folder is emptied ${losses} times (seed ${seed})`,
  () => {
    it(
      'the emulator loses no accepted event when the database is restored',
      async () => {
        await using emulator = await startUnderLoad(seed);
        const { control, folder, load, random, ready, receiver, svc } = emulator;
        const countRefusals = () => load.creations.reduce((sum, { refusals }) => sum + refusals.length, 0);
        for (let round = 0; round < losses; round++) {
          const enough = load.creations.length + 20 + Math.floor(random() * 60);
          await load.run(ready, () => load.creations.length >= enough);
          const refusalsBefore = countRefusals();
          const during = load.run(ready, () => countRefusals() - refusalsBefore >= 10);
          emptyFolder(folder);
          await during;
          const restored = await control('POST', '/database/restore', {});
          expect(restored.status).toBe(200);
        }
        await load.finish(ready);
        await settle(ready);
        const refusals = load.creations.flatMap((creation) => creation.refusals);
        expect(new Set(refusals.map(({ status }) => status))).toEqual(new Set([503]));
        const { code } = await svc.end('SIGTERM');
        const { breaches, ...tally } = audit({
          database: databaseIn(folder),
          creations: load.creations,
          requests: receiver.requests,
        });
        process.stdout.write(
          `removed database, seed ${seed}: ${JSON.stringify({ losses, refused: refusals.length, ...tally })}\n`,
        );
        expect({ code, breaches }).toEqual({ code: 0, breaches: [] });
        expect(tally.events).toBeGreaterThan(losses * 10);
      },
      60_000 + losses * 10_000,
    );
  },
);
