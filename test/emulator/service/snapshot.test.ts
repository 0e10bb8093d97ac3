import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { startTestEmulator } from '../../support/test-emulator.ts';
import { createTestWallClock } from '../../support/test-wall-clock.ts';
import { readState } from './read-state.ts';

const MINUTE_MS = 60_000;
const newPath = () => join(createTemporaryFolder(), 'state.svc');

describe('a snapshot', () => {
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
});

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
