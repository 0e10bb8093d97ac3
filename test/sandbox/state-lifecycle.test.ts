import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { readKeyFile, StateLifecycle } from '../../src/sandbox/state-lifecycle.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { openSandbox } from './open-sandbox.ts';

it('the stored API key is not read from a FIFO or a device, which could hold up the process beyond SIGTERM [files.special]', () => {
  const db = join(createTemporaryFolder(), 'sandbox.db');
  expect(readKeyFile(db)).toBeNull();
  symlinkSync('/dev/null', `${db}.key`);
  expect(() => readKeyFile(db)).toThrow(
    expect.objectContaining({
      code: 'usage',
      message: `The API key ${db}.key cannot be read: it is not a regular file.`,
    }),
  );
});

it('a load whose state cannot be copied as the baseline is complete, and a reset returns to the baseline before it', async () => {
  const { sandbox, published } = openSandbox();
  const { store, workspaces } = sandbox;
  const lifecycle = new StateLifecycle(sandbox, {
    db: ':memory:',
    seed: null,
    forwardTo: null,
    clock: undefined,
  });
  const path = join(createTemporaryFolder(), 'state.svc');
  const listNames = () => store.workspaces.listAll().map(({ name }) => name);
  store.writeNow(() => workspaces.insert({ name: 'Saved' }));
  await lifecycle.saveSnapshot(path);
  lifecycle.reset();
  published.length = 0;
  const failure = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  vi.spyOn(store, 'setBaseline').mockImplementationOnce(() => {
    throw failure;
  });
  await expect(lifecycle.loadSnapshot(path)).rejects.toBe(failure);
  expect(listNames()).toEqual(['Default workspace', 'Saved']);
  // The dispatcher and the streams read the loaded rows.
  expect(published).toEqual([{ type: 'state_replaced' }]);
  lifecycle.reset();
  expect(listNames()).toEqual(['Default workspace']);
});
