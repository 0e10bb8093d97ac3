import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator } from '../support/test-emulator.ts';

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
