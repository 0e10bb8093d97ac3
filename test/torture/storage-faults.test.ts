import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandomSource } from '../../src/domain/secret.ts';
import { startEmulator } from '../e2e/cli-program.ts';
import { Database } from '../support/sqlite.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import type { Receiver } from '../support/test-receiver.ts';
import { audit } from './audit.ts';
import { type Creation, createUnreliableReceiver, Load, post, settle, subscribe } from './load.ts';
import { canLimitFiles, smallDisks } from './small-disk.ts';
import { databaseIn, type SvcProcess, startSvc, waitUntilReady } from './svc-process.ts';

const SPEED = 20_000;
const PAGE_BYTES = 4096;
const { next: random } = createRandomSource(3);
/** A command that runs another one without the privileges of root over file permissions. */
const withoutPrivileges =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-dac_override,-dac_read_search'] : [];
const canDropPrivileges =
  process.platform !== 'win32' &&
  (withoutPrivileges.length === 0 ||
    spawnSync('setpriv', [...withoutPrivileges.slice(1), 'true']).status === 0);

/** Boots and creates about `count` events. */
async function work(svc: SvcProcess, receiver: Receiver, load: Load, count: number) {
  const ready = await waitUntilReady(svc);
  if (load.creations.length === 0) await subscribe(ready, receiver);
  const enough = load.creations.length + count;
  await load.run(ready, () => load.creations.length >= enough);
  return ready;
}

/** Settles all deliveries, stops the emulator and audits its database. */
async function finish(
  folder: string,
  svc: SvcProcess,
  receiver: Receiver,
  load: Load,
  creations: readonly Creation[] = load.creations,
) {
  const ready = await waitUntilReady(svc);
  await load.finish(ready);
  await settle(ready);
  const { code } = await svc.end('SIGTERM');
  const { breaches } = audit({ database: databaseIn(folder), creations, requests: receiver.requests });
  return { code, breaches };
}

/** Creates a folder whose emulator was killed while it worked. */
async function createKilledFolder(receiver: Receiver, load: Load): Promise<string> {
  const folder = createTemporaryFolder();
  await using svc = startSvc({ folder, speed: SPEED });
  await work(svc, receiver, load, 100);
  return folder;
}

/** The exit code and the error of a start that failed. */
async function getStartError(svc: SvcProcess) {
  expect(await svc.ready).toBeNull();
  const { code, stderr } = await svc.exited;
  return { exitCode: code, ...JSON.parse(stderr).error };
}

/** Checkpoints the write-ahead log. @returns the number of pages of the file. */
function checkpoint(folder: string): number {
  const db = new Database(databaseIn(folder));
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  return Math.floor(statSync(databaseIn(folder)).size / PAGE_BYTES);
}

function damage(folder: string, from: number, to: number): void {
  const file = openSync(databaseIn(folder), 'r+');
  writeSync(file, Buffer.alloc(to - from, 0x5a), 0, to - from, from);
  closeSync(file);
}

describe('a running emulator with a failing disk', () => {
  it.each(smallDisks)(
    'all writes fail with 503 on $name and succeed again when there is space [§7.envelope]',
    async (disk) => {
      const folder = createTemporaryFolder();
      disk.prepare(folder);
      await using receiver = await createUnreliableReceiver(random);
      await using svc = startSvc({ folder, speed: SPEED });
      const load = new Load(random, { payloadBytes: 20_000 });
      const ready = await work(svc, receiver, load, 20);
      disk.fill(folder, svc.pid);
      const refusals = () => load.creations.flatMap((creation) => creation.refusals);
      await load.run(ready, () => refusals().length > 20);
      expect(new Set(refusals().map(({ status }) => status))).toEqual(new Set([503]));
      expect(JSON.parse(refusals().at(-1)?.text ?? '')).toEqual({
        error: {
          code: 'storage_unavailable',
          message: expect.stringMatching(/^Writing to the database failed: /),
          request_id: expect.stringMatching(/^req_/),
        },
      });
      const headers = { authorization: `Bearer ${ready.api_key}` };
      expect(await fetch(`${ready.base_url}/events`, { headers })).toMatchObject({ status: 200 });
      disk.free(folder, svc.pid);
      await work(svc, receiver, load, 20);
      expect(await finish(folder, svc, receiver, load)).toEqual({ code: 0, breaches: [] });
    },
  );

  it('an emulator with a damaged file keeps running and reports the damage [§7.envelope, storage.unavailable]', async () => {
    await using receiver = await createUnreliableReceiver(random);
    // More than SQLite keeps in memory.
    const folder = await createKilledFolder(receiver, new Load(random, { payloadBytes: 60_000 }));
    const pages = checkpoint(folder);
    await using svc = startSvc({ folder });
    const ready = await waitUntilReady(svc);
    damage(folder, 60 * PAGE_BYTES, pages * PAGE_BYTES);
    const headers = { authorization: `Bearer ${ready.api_key}` };
    const listed = await fetch(`${ready.base_url}/events?limit=100`, { headers });
    expect(listed.status).toBe(503);
    expect(await listed.json()).toMatchObject({
      error: { code: 'storage_unavailable', message: expect.stringMatching(/malformed/) },
    });
    const { status } = await post(ready, '/events', '{"type":"order.shipped"}');
    expect([201, 503]).toContain(status);
    expect(await fetch(`${ready.url}/healthz`)).toMatchObject({ status: 200 });
  });
});

describe('svc emulator start', () => {
  let killedFolder: string;
  const copyKilledFolder = () => {
    const folder = createTemporaryFolder();
    cpSync(killedFolder, folder, { recursive: true });
    return folder;
  };
  const expectUnusable = (folder: string) =>
    expect(startEmulator(folder, ['--db', databaseIn(folder)])).rejects.toThrow('"database_unusable"');

  beforeAll(async () => {
    killedFolder = mkdtempSync(join(tmpdir(), 'svc-killed-'));
    await using receiver = await createUnreliableReceiver(random);
    await using svc = startSvc({ folder: killedFolder, speed: SPEED });
    await work(svc, receiver, new Load(random), 100);
  });
  afterAll(() => rmSync(killedFolder, { recursive: true }));

  it.runIf(canDropPrivileges)('a start refuses a read-only file and a read-only folder', async () => {
    const folder = copyKilledFolder();
    chmodSync(databaseIn(folder), 0o444);
    await using onFile = startSvc({ folder, wrapper: withoutPrivileges });
    expect(await getStartError(onFile)).toMatchObject({ exitCode: 2, code: 'database_unusable' });
    const empty = createTemporaryFolder();
    chmodSync(empty, 0o555);
    await using inFolder = startSvc({ folder: empty, wrapper: withoutPrivileges });
    expect(await getStartError(inFolder)).toMatchObject({ exitCode: 2, code: 'database_unusable' });
  });

  it.runIf(canLimitFiles).each([4, 60, 100, 120, 140])(
    'a start refuses a disk with %i KiB of free space',
    async (kib) => {
      const folder = createTemporaryFolder();
      await using svc = startSvc({ folder, wrapper: ['prlimit', `--fsize=${kib * 1024}`] });
      expect(await getStartError(svc)).toMatchObject({
        exitCode: 2,
        code: 'database_unusable',
        hint: { text: expect.stringMatching(/free (?:disk )?space/) },
      });
    },
  );

  it.each([
    ['its first bytes', () => [0, 100]],
    ['its schema', () => [100, PAGE_BYTES]],
    ['everything after the schema', (pages: number) => [PAGE_BYTES, pages * PAGE_BYTES]],
    ['its last pages', (pages: number) => [Math.floor(pages / 2) * PAGE_BYTES, pages * PAGE_BYTES]],
  ] as const)('a start refuses a file with damage in %s', async (_, place) => {
    const folder = copyKilledFolder();
    const [from = 0, to = 0] = place(checkpoint(folder));
    damage(folder, from, to);
    await expectUnusable(folder);
  });

  it('a start refuses a truncated file', async () => {
    const folder = copyKilledFolder();
    truncateSync(databaseIn(folder), Math.floor(checkpoint(folder) / 2) * PAGE_BYTES);
    await expectUnusable(folder);
  });
});
