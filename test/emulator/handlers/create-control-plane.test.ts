import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ControlPlane } from '../../../src/operations/control-plane.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { startTestEmulator } from '../../support/test-emulator.ts';
import { createTestWallClock } from '../../support/test-wall-clock.ts';

/** A project with fixtures of its own. */
function createProject(files: Readonly<Record<string, string>>): string {
  const projectFolder = createTemporaryFolder();
  const folder = join(projectFolder, 'fixtures/events');
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return projectFolder;
}

it('the list contains the fixtures of the project and the built-in ones, with the problem of an invalid one', async () => {
  const projectFolder = createProject({
    'order.shipped.json': '{"description": "Ours", "payload": {"n": "{{sequence}}", "amount": 12.50}}',
    'pets.fed.json': '{"description": 7}',
  });
  await using emulator = await startTestEmulator({ projectFolder });
  const { data } = await emulator.control.listFixtures({});
  const find = (name: string) => data.find(({ type }) => type === name);
  expect(find('order.shipped')).toEqual({
    type: 'order.shipped',
    source: 'project',
    description: 'Ours',
    problem: null,
  });
  expect(find('pets.fed')).toMatchObject({
    description: null,
    problem: expect.stringContaining('description'),
  });
  expect(find('invoice.paid')).toMatchObject({ source: 'built_in', problem: null });
  const scripts = join(projectFolder, 'fixtures/scripts');
  mkdirSync(scripts);
  writeFileSync(join(scripts, 'feed-pets.json'), '{}');
  expect((await emulator.control.listFixtures({})).data).toEqual(data);
  const payloads = [await emulator.control.getFixture({ type: 'order.shipped' })];
  payloads.push(await emulator.control.getFixture({ type: 'order.shipped' }));
  expect(payloads.map(({ payload_text: text }) => text)).toEqual([
    '{"n":1,"amount":12.50}',
    '{"n":2,"amount":12.50}',
  ]);
  const broken = emulator.control.getFixture({ type: 'pets.fed' });
  await expect(broken).rejects.toMatchObject({ code: 'usage' });
});

it('a fixture makes the same payloads in every run with the same seed', async () => {
  const projectFolder = createProject({
    'pets.fed.json': '{"description": "Ours", "payload": {"id": "{{uuid}}"}}',
  });
  const draw = async () => {
    await using emulator = await startTestEmulator({ randomSeed: 7, projectFolder });
    const { payload_text: first } = await emulator.control.getFixture({ type: 'pets.fed' });
    const { payload_text: second } = await emulator.control.getFixture({ type: 'pets.fed' });
    expect(first).not.toEqual(second);
    return [first, second];
  };
  expect(await draw()).toEqual(await draw());
});

it('reset restores the loaded snapshot, and with all it removes what the snapshot contains', async () => {
  const wall = createTestWallClock();
  await using emulator = await startTestEmulator({ wall });
  const { control } = emulator;
  const path = join(createTemporaryFolder(), 'state.svc');
  const listIds = async () => (await control.listWebhooks({})).data.map(({ id }) => id);
  const { id } = await control.createWebhook({ url: 'http://127.0.0.1:9/' });
  await control.addFault({ on: 'delivery', kind: 'delay', delay_ms: 60_000 });
  await emulator.api('POST', '/events', { type: 'order.shipped' });
  const saved = await control.saveSnapshot({ path });
  expect(saved).toEqual({
    path,
    size_bytes: statSync(path).size,
    saved_at: new Date(wall.now()).toISOString(),
  });
  await control.deleteWebhook({ id });
  expect(await control.loadSnapshot({ path })).toMatchObject({ deliveries: { pending: 1 } });
  await control.createWebhook({ url: 'http://127.0.0.1:9/' });
  expect(await control.reset({})).toMatchObject({ kept_deliveries: 1 });
  expect(await listIds()).toEqual([id]);
  expect(await control.reset({ all: true })).toMatchObject({ kept_deliveries: 0 });
  expect(await listIds()).toEqual([]);
});

describe('faults of several workspaces', () => {
  const opaque = '01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';

  it.each<[string, keyof ControlPlane, object]>([
    ['the endpoint of a new fault', 'addFault', { on: 'delivery', kind: 'drop', webhook_id: `wh_${opaque}` }],
    ['the API key of a new fault', 'addFault', { on: 'request', status: 503, api_key_id: `key_${opaque}` }],
    [
      'the workspace of a new fault',
      'addFault',
      { on: 'request', status: 503, workspace_id: `ws_${opaque}` },
    ],
    ['the workspace of a list', 'listFaults', { workspace_id: `ws_${opaque}` }],
    ['the workspace of faults to remove', 'clearFaults', { workspace_id: `ws_${opaque}` }],
    ['a fault to remove', 'clearFaults', { id: `flt_${opaque}` }],
  ])('%s must exist', async (_, name, input) => {
    await using emulator = await startTestEmulator();
    const { control } = emulator;
    const { id } = await control.addFault({ on: 'request', status: 503 });
    await expect(control[name as 'clearFaults'](input)).rejects.toMatchObject({ code: 'not_found' });
    expect((await control.listFaults({})).data.map((fault) => fault.id)).toEqual([id]);
  });

  it('faults are listed and removed by ID and by workspace, and the others still apply', async () => {
    await using emulator = await startTestEmulator();
    const { control } = emulator;
    const { id: other } = await control.createWorkspace({ name: 'Other' });
    const add = async (workspace_id?: string) =>
      (await control.addFault({ on: 'request', status: 503, ...(workspace_id && { workspace_id }) })).id;
    const everywhere = await add();
    const [first, second] = [await add(other), await add(other)];
    const own = await add(emulator.status().workspace_id);
    const list = async (input = {}) => (await control.listFaults(input)).data.map(({ id }) => id);
    expect(await list()).toEqual([own, second, first, everywhere]);
    expect(await list({ workspace_id: other })).toEqual([second, first]);
    expect(await control.clearFaults({ id: first })).toEqual({ cleared: 1 });
    expect(await list()).toEqual([own, second, everywhere]);
    expect(await control.clearFaults({ workspace_id: other })).toEqual({ cleared: 1 });
    expect(await list()).toEqual([own, everywhere]);
    expect(await control.clearFaults({})).toEqual({ cleared: 2 });
    expect(await list()).toEqual([]);
  });
});
