import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulator } from '../../support/test-emulator.ts';
import { createReceiver } from '../../support/test-receiver.ts';
import { createTestWallClock } from '../../support/test-wall-clock.ts';

const MINUTE_MS = 60_000;
const newPath = () => join(createTemporaryFolder(), 'state.svc');

function register({ api, status }: TestEmulator, url: string) {
  return api('POST', '/webhooks', { workspace_id: status().workspace_id, url, events: ['*'] });
}

/** The content of a snapshot, as the control plane returns it. */
async function readState({ control }: TestEmulator) {
  const { data: deliveries } = await control.listDeliveries({});
  return {
    workspaces: (await control.listWorkspaces({})).data,
    webhooks: (await control.listWebhooks({})).data,
    deliveries: await Promise.all(deliveries.map(({ id }) => control.getDelivery({ id }))),
    requests: (await control.listRequests({})).data,
    now: (await control.getClock({})).now,
  };
}

describe('a snapshot', () => {
  it('an emulator that loads a snapshot of another one continues its deliveries', async () => {
    await using receiver = await createReceiver({ status: 503 });
    const path = newPath();
    await using first = await startTestEmulator();
    await register(first, receiver.url);
    const { json: event } = await first.api('POST', '/events', { type: 'a.b', payload: { n: 1 } });
    await first.control.advanceClock({ ms: 5 * MINUTE_MS });
    const saved = await readState(first);
    expect(await first.control.saveSnapshot({ path })).toEqual({
      path,
      size_bytes: statSync(path).size,
      saved_at: expect.any(String),
    });

    await using second = await startTestEmulator();
    await second.api('POST', '/events', { type: 'to.vanish' });
    const status = await second.control.loadSnapshot({ path });
    expect(await readState(second)).toEqual(saved);
    expect(status).toMatchObject({ workspace_id: first.status().workspace_id, deliveries: { pending: 1 } });
    expect((await second.api('GET', `/events/${event.id}`)).json).toEqual(event);

    receiver.respond({});
    const { attempts } = await second.control.advanceClock({ ms: 30 * MINUTE_MS });
    expect(attempts).toMatchObject([{ number: 3, outcome: 'succeeded' }]);
    expect(receiver.requests.map(({ body }) => body.toString())).toEqual(
      Array(3).fill(receiver.requests[0]?.body.toString()),
    );
  });

  it('the default key of the emulator and the keys of the snapshot both work after a load', async () => {
    const path = newPath();
    await using first = await startTestEmulator();
    await first.control.saveSnapshot({ path });
    await using second = await startTestEmulator();
    const { api_key } = second.status();
    expect((await second.control.loadSnapshot({ path })).api_key).toBe(api_key);
    for (const key of [api_key, first.status().api_key]) {
      const response = await second.api('GET', '/events', undefined, { authorization: `Bearer ${key}` });
      expect(response.status).toBe(200);
    }
  });

  it('a load creates another default key if the snapshot has revoked the current one', async () => {
    const [db, path] = [newPath(), newPath()];
    await using emulator = await startTestEmulator({ db });
    const { api_key: revoked } = emulator.status();
    const [key] = (await emulator.control.listKeys({})).data;
    await emulator.control.revokeKey({ id: String(key?.id) });
    await emulator.control.saveSnapshot({ path });
    await emulator.control.reset({});
    const { api_key } = await emulator.control.loadSnapshot({ path });
    expect(api_key).not.toBe(revoked);
    const headers = { authorization: `Bearer ${api_key}` };
    expect((await emulator.api('GET', '/events', undefined, headers)).status).toBe(200);
    expect(readFileSync(`${db}.key`, 'utf8')).toBe(`${api_key}\n`);
  });

  it('live streams are notified of a load, and loaded changes are not streamed', async () => {
    await using receiver = await createReceiver();
    const path = newPath();
    await using first = await startTestEmulator();
    await register(first, receiver.url);
    for (let i = 0; i < 5; i++) await first.api('POST', '/events', { type: 'a.b' });
    await first.control.advanceClock({ ms: 1 });
    await first.control.saveSnapshot({ path });

    await using second = await startTestEmulator();
    const leaving = new AbortController();
    const stream = second.control.stream({ types: 'delivery' }, leaving.signal);
    const items = stream[Symbol.asyncIterator]();
    const next = items.next();
    await second.control.loadSnapshot({ path });
    const { json: event } = await second.api('POST', '/events', { type: 'a.b' });
    expect((await next).value).toEqual({ type: 'reset', sequence: expect.any(Number) });
    expect((await items.next()).value).toMatchObject({ delivery: { event_id: event.id } });
    leaving.abort();
  });
});

describe('the clocks of a snapshot', () => {
  it.each([
    ['frozen clocks stay frozen', { frozen: true }, 0],
    ['running clocks continue from the time of saving', { frozen: false }, 5 * MINUTE_MS],
    ['fast clocks continue at their speed', { frozen: false, speed: 60 }, 300 * MINUTE_MS],
  ])('%s after a load, and the real time in between does not count', async (_, clock, passes) => {
    const path = newPath();
    const wall = createTestWallClock();
    await using first = await startTestEmulator({ clock, wall });
    const { id } = await first.control.createWorkspace({ name: 'Unused' });
    wall.advance(MINUTE_MS);
    const { now: savedNow, speed } = await first.control.getClock({});
    await first.control.saveSnapshot({ path });

    wall.advance(60 * MINUTE_MS);
    await using second = await startTestEmulator({ wall, clock: { frozen: true } });
    await second.control.loadSnapshot({ path });
    const clockOf = (workspace_id?: string) =>
      second.control.getClock({ ...(workspace_id && { workspace_id }) });
    expect(await clockOf()).toMatchObject({ now: savedNow, speed });
    wall.advance(5 * MINUTE_MS);
    expect(Date.parse((await clockOf()).now) - Date.parse(savedNow)).toBe(passes);
    expect((await clockOf(id)).speed).toBe(speed);
  });
});

describe('loading an invalid file', () => {
  /** Saves a snapshot and damages it. */
  async function damaged(damage: (path: string) => void, environment: 'sandbox' | 'production' = 'sandbox') {
    const path = newPath();
    await using emulator = await startTestEmulator({ environment });
    await emulator.api('POST', '/events', { type: 'a.b' });
    await emulator.control.saveSnapshot({ path });
    damage(path);
    return path;
  }
  const truncate = (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 20_000));

  it.each<[string, string, RegExp, () => Promise<string>]>([
    ['does not exist', 'usage', /^The file .* does not exist/, async () => newPath()],
    ['is a folder', 'usage', /: it is a folder\./, async () => createTemporaryFolder()],
    ['is something else', 'validation_failed', /is not a snapshot/, async () => import.meta.filename],
    ['is truncated', 'validation_failed', /is damaged/, () => damaged(truncate)],
    [
      'belongs to the other environment',
      'validation_failed',
      /belongs to the production environment/,
      () => damaged(() => {}, 'production'),
    ],
  ])('a file that %s is refused and changes nothing', async (_, code, message, makePath) => {
    const path = await makePath();
    await using emulator = await startTestEmulator();
    await emulator.api('POST', '/events', { type: 'a.b' });
    const before = await readState(emulator);
    await expect(emulator.control.loadSnapshot({ path })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(await readState(emulator)).toEqual(before);
    await emulator.control.reset({});
  });
});
