/** Snapshots that were changed at random or on purpose are loaded into a running emulator. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRandomSource } from '../../src/domain/random-source.ts';
import { Database } from '../support/sqlite.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { createUnreliableReceiver, Load, subscribe } from './load.ts';
import { getReady, startSvc } from './svc-process.ts';

const count = Number(process.env.TORTURE_SNAPSHOTS ?? 40);
const seed = Number(process.env.TORTURE_SEED ?? Math.floor(Math.random() * 2 ** 32));

/** Each is refused. */
const statements = [
  'CREATE VIEW extra AS SELECT * FROM events',
  'CREATE TRIGGER extra AFTER DELETE ON events BEGIN DELETE FROM webhooks; END',
  'DROP TABLE attempts',
  "UPDATE webhooks SET headers = '{'",
  "UPDATE events SET envelope = 'x'",
  'UPDATE workspaces SET clock_at = 9000000000000000',
  'UPDATE deliveries SET seq = 9007199254740991 WHERE seq = (SELECT max(seq) FROM deliveries)',
  'PRAGMA user_version = 0',
];

describe(`an emulator that is given ${count} hostile snapshots (seed ${seed})`, () => {
  it(
    'refuses each with 422, or loads one that is still sound, and keeps working',
    async () => {
      const { next: random } = createRandomSource(seed);
      const folder = createTemporaryFolder();
      await using receiver = await createUnreliableReceiver(random);
      await using svc = startSvc({ folder, speed: 20_000 });
      const ready = await getReady(svc);
      await subscribe(ready, receiver);
      const load = new Load(random, { payloadBytes: 2_000 });
      await load.run(ready, () => load.creations.length >= 60);
      const control = async (method: string, path: string, body?: object) => {
        const response = await fetch(ready.control_url + path, {
          ...{ method, headers: { 'content-type': 'application/json' } },
          body: body === undefined ? null : JSON.stringify(body),
        });
        return { status: response.status, text: await response.text() };
      };
      const genuine = join(folder, 'genuine.svc');
      expect((await control('POST', '/snapshot/save', { path: genuine })).status).toBe(200);
      const hostile = join(folder, 'hostile.svc');
      const tally = { refused: 0, loaded: 0 };
      for (let round = 0; round < count; round++) {
        copyFileSync(genuine, hostile);
        const sql = round % 2 === 0 ? statements[(round / 2) % statements.length] : undefined;
        if (sql === undefined) scribble(hostile, random);
        else change(hostile, sql);
        const { status, text } = await control('POST', '/snapshot/load', { path: hostile });
        expect({ sql, status, text }).toMatchObject({ status: sql === undefined ? expect.any(Number) : 422 });
        expect([200, 400, 422], text).toContain(status);
        tally[status === 200 ? 'loaded' : 'refused']++;
        for (const path of ['/stored-events', '/deliveries', '/webhooks', '/requests', '/diagnosis']) {
          expect((await control('GET', path)).status).toBe(200);
        }
        expect(JSON.parse((await control('GET', '/diagnosis')).text).database.damage).toEqual([]);
      }
      process.stdout.write(`hostile snapshots, seed ${seed}: ${JSON.stringify(tally)}\n`);
      expect(tally.refused).toBeGreaterThanOrEqual(count / 2);
      expect((await control('POST', '/snapshot/load', { path: genuine })).status).toBe(200);
      expect((await svc.end('SIGTERM')).code).toBe(0);
    },
    60_000 + count * 2_000,
  );
});

/** Overwrites up to 40 bytes at random places. */
function scribble(path: string, random: () => number): void {
  const bytes = readFileSync(path);
  for (let i = Math.ceil(random() * 40); i > 0; i--) {
    bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
  }
  writeFileSync(path, bytes);
}

function change(path: string, sql: string): void {
  const db = new Database(path);
  db.unsafeMode();
  db.pragma('foreign_keys = OFF');
  db.exec(sql);
  db.close();
}
