/** Removes the database of a busy emulator, and moves its state to a new process with a snapshot. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ReadyLine } from '../../src/cli/ready-line.ts';
import { createRandomSource } from '../../src/domain/secret.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { audit } from './audit.ts';
import { createUnreliableReceiver, Load, settle, subscribe } from './load.ts';
import { databaseIn, startSvc, waitUntilReady } from './svc-process.ts';

const losses = Number(process.env.TORTURE_LOSSES ?? 5);
const seed = Number(process.env.TORTURE_SEED ?? Math.floor(Math.random() * 2 ** 32));

function emptyFolder(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
}

async function postSnapshot(
  { control_url }: ReadyLine,
  action: 'save' | 'load',
  path: string,
): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ path });
  const response = await fetch(`${control_url}/snapshot/${action}`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`snapshot ${action} failed: ${await response.text()}`);
}

describe.skipIf(process.platform === 'win32')(
  `an emulator whose folder is emptied ${losses} times (seed ${seed})`,
  () => {
    it(
      'no accepted event is lost when the state is saved, and loaded by a new process [storage.no-loss]',
      async () => {
        const { next: random } = createRandomSource(seed);
        await using receiver = await createUnreliableReceiver(random);
        const load = new Load(random);
        const folder = createTemporaryFolder();
        const snapshot = join(createTemporaryFolder(), 'state.svc');
        const start = () => startSvc({ folder, speed: 20_000 });
        let svc = start();
        try {
          let ready = await waitUntilReady(svc);
          await subscribe(ready, receiver);
          const countRefusals = () => load.creations.reduce((sum, { refusals }) => sum + refusals.length, 0);
          for (let round = 0; round < losses; round++) {
            const enough = load.creations.length + 20 + Math.floor(random() * 60);
            await load.run(ready, () => load.creations.length >= enough);
            const refusalsBefore = countRefusals();
            const during = load.run(ready, () => countRefusals() - refusalsBefore >= 10);
            emptyFolder(folder);
            await during;
            await postSnapshot(ready, 'save', snapshot);
            await svc.end('SIGTERM');
            svc = start();
            // The key of the first process is in the snapshot.
            ready = { ...(await waitUntilReady(svc)), api_key: ready.api_key };
            await postSnapshot(ready, 'load', snapshot);
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
        } finally {
          await svc.end('SIGKILL');
        }
      },
      60_000 + losses * 10_000,
    );
  },
);
