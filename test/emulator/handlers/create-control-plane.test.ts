import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
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

it('a closed catalog and the list of fixtures contain the types of the sender and of the project [event.catalog]', async () => {
  const projectFolder = createProject({ 'pets.fed.json': '{"description": "Ours", "payload": {}}' });
  await using emulator = await startTestEmulator({
    ...{ sender: 'stripe', projectFolder, overrides: { 'event.catalog': 'closed' } },
  });
  const create = async (type: string) => (await emulator.api('POST', '/events', { type })).status;
  expect(await create('payment_intent.succeeded')).toBe(201);
  expect(await create('pets.fed')).toBe(201);
  expect(await create('order.shipped')).toBe(422);
  const { data } = await emulator.control.listFixtures({});
  const projectTypes = data.filter(({ source }) => source === 'project').map(({ type }) => type);
  expect(projectTypes).toEqual(['pets.fed']);
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
