/** The database of an emulator is removed while clients and receivers keep it busy, and written again. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRandomSource } from '../../src/domain/random-source.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { audit } from './audit.ts';
import { createUnreliableReceiver, Load, settle, subscribe } from './load.ts';
import { databaseIn, getReady, startSvc } from './svc-process.ts';

const losses = Number(process.env.TORTURE_LOSSES ?? 5);
const seed = Number(process.env.TORTURE_SEED ?? Math.floor(Math.random() * 2 ** 32));
const headers = { 'content-type': 'application/json' };

function empty(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
}

describe.skipIf(process.platform === 'win32')(
  `an emulator whose folder is emptied ${losses} times (seed ${seed})`,
  () => {
    it(
      'loses nothing that it accepted when the database is restored',
      async () => {
        const { next: random } = createRandomSource(seed);
        const folder = createTemporaryFolder();
        await using receiver = await createUnreliableReceiver(random);
        await using svc = startSvc({ folder, speed: 20_000 });
        const ready = await getReady(svc);
        await subscribe(ready, receiver);
        const load = new Load(random);
        const countRefusals = () => load.creations.reduce((sum, { refusals }) => sum + refusals.length, 0);
        for (let round = 0; round < losses; round++) {
          const enough = load.creations.length + 20 + Math.floor(random() * 60);
          await load.run(ready, () => load.creations.length >= enough);
          const before = countRefusals();
          const during = load.run(ready, () => countRefusals() - before >= 10);
          empty(folder);
          await during;
          const restored = await fetch(`${ready.control_url}/database/restore`, {
            method: 'POST',
            headers,
            body: '{}',
          });
          expect(restored.status).toBe(200);
        }
        await load.finish(ready);
        await settle(ready);
        const refusals = load.creations.flatMap((each) => each.refusals);
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
