/** Loads snapshots that were changed at random or on purpose into a running emulator. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Database } from '../support/sqlite.ts';
import { startUnderLoad } from './load.ts';

const count = Number(process.env.TORTURE_SNAPSHOTS ?? 40);
const seed = Number(process.env.TORTURE_SEED ?? Math.floor(Math.random() * 2 ** 32));

/** Each of these changes makes the snapshot invalid. */
const statements = [
  'CREATE VIEW extra AS SELECT * FROM events',
  'CREATE TRIGGER extra AFTER DELETE ON events BEGIN DELETE FROM webhooks; END',
  'DROP TABLE attempts',
  "UPDATE webhooks SET headers = '{'",
  "UPDATE webhooks SET events = ''",
  'UPDATE workspaces SET clock_at = 9000000000000000',
  'UPDATE deliveries SET seq = 9007199254740991 WHERE seq = (SELECT max(seq) FROM deliveries)',
  'PRAGMA application_id = 0',
];

describe(`an emulator that loads ${count} hostile snapshots (seed ${seed})`, () => {
  it(
    'the emulator refuses each snapshot with 422 or loads it if it is still valid, and keeps working [snapshots.hostile]',
    async () => {
      await using emulator = await startUnderLoad(seed, { payloadBytes: 2_000 });
      const { control, folder, load, random, ready, svc } = emulator;
      await load.run(ready, () => load.creations.length >= 60);
      const genuine = join(folder, 'genuine.svc');
      expect((await control('POST', '/snapshot/save', { path: genuine })).status).toBe(200);
      const hostile = join(folder, 'hostile.svc');
      const tally = { refused: 0, loaded: 0 };
      for (let round = 0; round < count; round++) {
        copyFileSync(genuine, hostile);
        const sql = round % 2 === 0 ? statements[(round / 2) % statements.length] : undefined;
        if (sql === undefined) overwriteRandomBytes(hostile, random);
        else change(hostile, sql);
        const { status, text } = await control('POST', '/snapshot/load', { path: hostile });
        expect({ sql, status, text }).toMatchObject({ status: sql === undefined ? expect.any(Number) : 422 });
        expect([200, 400, 422], text).toContain(status);
        tally[status === 200 ? 'loaded' : 'refused']++;
        // A row whose text or time was overwritten can be an internal error.
        for (const path of ['/events', '/deliveries', '/webhooks', '/requests']) {
          expect([200, ...(status === 200 ? [500] : [])]).toContain((await control('GET', path)).status);
        }
        expect(JSON.parse((await control('GET', '/diagnosis')).text).database.damage).toEqual([]);
      }
      process.stdout.write(`hostile snapshots, seed ${seed}: ${JSON.stringify(tally)}\n`);
      expect(tally.refused).toBeGreaterThanOrEqual(count / 2);
      expect((await control('POST', '/snapshot/load', { path: genuine })).status).toBe(200);
      for (const path of ['/events', '/deliveries', '/webhooks', '/requests'])
        expect((await control('GET', path)).status).toBe(200);
      expect((await svc.end('SIGTERM')).code).toBe(0);
    },
    60_000 + count * 2_000,
  );
});

/** Overwrites up to 40 bytes at random places. */
function overwriteRandomBytes(path: string, random: () => number): void {
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
  db.pragma('ignore_check_constraints = ON');
  db.exec(sql);
  db.close();
}
