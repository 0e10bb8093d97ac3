import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SvcError } from '../../../src/domain/errors.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { startTestEmulator } from '../../support/test-emulator.ts';
import { createTestWallClock } from '../../support/test-wall-clock.ts';

const newDatabase = () => join(createTemporaryFolder(), 'sandbox.db');
const forwardTo = { url: 'http://127.0.0.1:9/in', events: ['order.shipped'] };

describe('a later boot on the same database', () => {
  it('a later boot uses the same workspace and the same key, which only its owner can read', async () => {
    const db = newDatabase();
    const first = await startTestEmulator({ db });
    const { workspace_id, api_key } = first.status();
    await first.close();
    await using second = await startTestEmulator({ db });
    expect(second.status()).toMatchObject({ workspace_id, api_key });
    expect((await second.control.listKeys({})).data).toHaveLength(1);
    expect(readFileSync(`${db}.key`, 'utf8')).toBe(`${api_key}\n`);
    if (process.platform !== 'win32') expect(statSync(`${db}.key`).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['was revoked', async () => {}],
    ['does not exist in it', async (db: string) => writeFileSync(`${db}.key`, 'svc_test_other\n')],
  ])('a boot creates another key if the stored one %s', async (_, spoil) => {
    const db = newDatabase();
    const first = await startTestEmulator({ db });
    const { api_key } = first.status();
    const [key] = (await first.control.listKeys({})).data;
    await first.control.revokeKey({ id: String(key?.id) });
    await first.close();
    await spoil(db);
    await using second = await startTestEmulator({ db });
    expect(second.status().api_key).not.toBe(api_key);
    expect((await second.api('GET', '/events')).status).toBe(200);
    expect(readFileSync(`${db}.key`, 'utf8')).toBe(`${second.status().api_key}\n`);
  });
});

it('a boot in memory ignores a key file in the working folder, and neither it nor a reset writes a file', async () => {
  const folder = createTemporaryFolder();
  const projectFolder = process.cwd();
  process.chdir(folder);
  onTestFinished(() => process.chdir(projectFolder));
  const boot = async () => {
    await using emulator = await startTestEmulator();
    const { db, api_key } = emulator.status();
    await emulator.control.reset({ all: true });
    return { db, api_key };
  };
  expect(await boot()).toMatchObject({ db: ':memory:' });
  expect(readdirSync(folder)).toEqual([]);
  // Reading this one as a key file would fail.
  mkdirSync(':memory:.key');
  expect(await boot()).toMatchObject({ db: ':memory:' });
  expect(readdirSync(folder)).toEqual([':memory:.key']);
});

describe('a fresh boot', () => {
  it('a fresh boot removes all data and is like the first one, with the same values for the same random seed', async () => {
    const db = newDatabase();
    const wall = createTestWallClock();
    const options = { db, wall, forwardTo, randomSeed: 7 };
    const boot = async (fresh: boolean) => {
      await using emulator = await startTestEmulator({ ...options, fresh });
      const { control, status, api } = emulator;
      const { workspace_id, api_key, webhook_id, webhook_secret } = status();
      const before = (await control.listDeliveries({})).data;
      const { json } = await api('POST', '/events', { type: 'order.shipped' });
      return { ids: [workspace_id, api_key, webhook_id, webhook_secret, json.id], before };
    };
    const first = await boot(false);
    await using other = await startTestEmulator({ db });
    await other.control.createWorkspace({ name: 'Other' });
    await other.close();
    expect((await boot(false)).before).toHaveLength(1);
    expect(await boot(true)).toEqual(first);
  });

  const manyEndpoints = Array.from({ length: 101 }, () => ({ url: 'https://example.com/', events: ['*'] }));

  it.each<[string, object]>([
    ['for an unknown field in its seed', { fresh: true, seed: { workspaces: [{ name: 'New', nam: 1 }] } }],
    [
      'for too many endpoints in its seed',
      { fresh: true, seed: { workspaces: [{ name: 'New', webhooks: manyEndpoints }] } },
    ],
    ['for its certificate authority', { fresh: true, ca: 'none' }],
    ['for its certificate authority, without fresh', { ca: 'none' }],
  ])('a boot that is refused %s changes nothing in the database', async (_reason, options) => {
    const db = newDatabase();
    const first = await startTestEmulator({ db });
    const { workspace_id, api_key } = first.status();
    await first.close();
    await expect(startTestEmulator({ db, forwardTo, ...options })).rejects.toThrow(SvcError);
    await using second = await startTestEmulator({ db });
    expect(second.status()).toMatchObject({ workspace_id, api_key });
    expect((await second.control.listWebhooks({})).data).toEqual([]);
  });

  it('a boot does not apply the limits of a workspace to a seed that is ignored', async () => {
    const db = newDatabase();
    const first = await startTestEmulator({ db });
    await first.close();
    const endpoint = { url: 'http://127.0.0.1:9/seed', events: ['*'] };
    const seed = { workspaces: [{ name: 'Ignored', webhooks: [endpoint] }] };
    const options = { db, seed, forwardTo, overrides: { 'webhook.limit': 1 } };
    await using second = await startTestEmulator(options);
    expect([second.seeded, (await second.control.listWebhooks({})).data]).toEqual([
      false,
      [expect.objectContaining({ url: forwardTo.url })],
    ]);
  });
});

describe('the endpoint of --forward-to', () => {
  it('the status has the new secret after a rotation, no secret after a deletion, and the first one again after a reset', async () => {
    await using emulator = await startTestEmulator({ forwardTo });
    const first = emulator.status();
    const id = String(first.webhook_id);
    const { secret } = await emulator.control.rotateWebhookSecret({ id });
    expect(secret).not.toBe(first.webhook_secret);
    expect(await emulator.control.getStatus({})).toMatchObject({ webhook_id: id, webhook_secret: secret });
    await emulator.control.deleteWebhook({ id });
    expect(emulator.status()).not.toHaveProperty('webhook_id');
    expect(emulator.status()).not.toHaveProperty('webhook_secret');
    const { webhook_id, webhook_secret } = await emulator.control.reset({});
    expect([webhook_id, webhook_secret]).toEqual([id, first.webhook_secret]);
  });

  it('the endpoint of a loaded snapshot is moved to the URL of this emulator', async () => {
    const path = join(createTemporaryFolder(), 'state.svc');
    const first = await startTestEmulator({ forwardTo });
    const { webhook_id } = first.status();
    await first.control.saveSnapshot({ path });
    await first.close();
    const url = 'http://127.0.0.1:10/in';
    await using second = await startTestEmulator({ forwardTo: { ...forwardTo, url } });
    expect(await second.control.loadSnapshot({ path })).toMatchObject({ webhook_id });
    const { data } = await second.control.listWebhooks({});
    expect(data).toEqual([expect.objectContaining({ id: webhook_id, url })]);
  });

  it.each([
    [{ url: 'http://8.8.8.8/', events: ['*'] }, /^url must use HTTPS/],
    [{ url: 'http://127.0.0.1:9/', events: [] }, /^events must name at least one event type/],
    [{ url: 'http://127.0.0.1:9/', events: ['shipped'] }, /^events\[0\] must have the form/],
  ])(
    'the endpoint must meet the rules of POST /webhooks: %j [webhook.url, §2.webhook.events]',
    async (target, message) => {
      const db = newDatabase();
      await expect(startTestEmulator({ db, forwardTo: target })).rejects.toMatchObject({
        code: 'validation_failed',
        message: expect.stringMatching(message),
      });
      await using emulator = await startTestEmulator({ db });
      expect((await emulator.control.listWebhooks({})).data).toEqual([]);
    },
  );
});
