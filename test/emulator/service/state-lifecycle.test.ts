import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { DAY_MS } from '../../../src/domain/duration.ts';
import { StateLifecycle } from '../../../src/emulator/service/state-lifecycle.ts';
import { createWebhook, deleteWebhook } from '../../../src/emulator/service/webhooks.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { openSandbox } from './open-sandbox.ts';

const options = { db: ':memory:', seed: null, forwardTo: null, clock: undefined };

it('a load whose state cannot be copied as the baseline is complete, and a reset returns to the baseline before it', async () => {
  const { sandbox, published } = openSandbox();
  const { store, workspaces } = sandbox;
  const lifecycle = new StateLifecycle(sandbox, options);
  const path = join(createTemporaryFolder(), 'state.svc');
  const listNames = () => store.workspaces.listAll().map(({ name }) => name);
  store.writeNow(() => workspaces.insert({ name: 'Saved' }));
  lifecycle.saveSnapshot(path);
  lifecycle.reset();
  published.length = 0;
  const failure = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  vi.spyOn(store, 'setBaseline').mockImplementationOnce(() => {
    throw failure;
  });
  expect(() => lifecycle.loadSnapshot(path)).toThrow(failure);
  expect(listNames()).toEqual(['Default workspace', 'Saved']);
  // The dispatcher and the streams read the loaded rows.
  expect(published).toEqual([{ type: 'state_replaced' }]);
  lifecycle.reset();
  expect(listNames()).toEqual(['Default workspace']);
});

it('a load that cannot add the key of the emulator changes nothing, and the dispatcher reads the rows again', async () => {
  const { sandbox, published } = openSandbox();
  const { store, workspaces } = sandbox;
  const lifecycle = new StateLifecycle(sandbox, options);
  const path = join(createTemporaryFolder(), 'state.svc');
  store.writeNow(() => workspaces.insert({ name: 'Saved' }));
  lifecycle.saveSnapshot(path);
  lifecycle.reset();
  published.length = 0;
  const failure = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  vi.spyOn(store.apiKeys, 'findByKey').mockImplementationOnce(() => {
    throw failure;
  });
  const { bootstrapResult } = lifecycle;
  expect(() => lifecycle.loadSnapshot(path)).toThrow(
    expect.objectContaining({ code: 'storage_unavailable' }),
  );
  expect(published).toEqual([{ type: 'state_replaced' }]);
  expect(store.workspaces.listAll().map(({ name }) => name)).toEqual(['Default workspace']);
  expect(lifecycle.bootstrapResult).toBe(bootstrapResult);
});

it('a reset of all data that cannot add the key of the emulator changes nothing, and a reset works afterwards', async () => {
  const { sandbox, published } = openSandbox();
  const { store, workspaces } = sandbox;
  const lifecycle = new StateLifecycle(sandbox, options);
  const listNames = () => store.workspaces.listAll().map(({ name }) => name);
  store.writeNow(() => workspaces.insert({ name: 'Other' }));
  published.length = 0;
  const failure = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  vi.spyOn(store.apiKeys, 'findByKey').mockImplementationOnce(() => {
    throw failure;
  });
  const { bootstrapResult } = lifecycle;
  const { stateReplacedSeq } = store;
  expect(() => lifecycle.resetAll()).toThrow(expect.objectContaining({ code: 'storage_unavailable' }));
  expect(published).toEqual([{ type: 'state_replaced' }]);
  expect(listNames()).toEqual(['Default workspace', 'Other']);
  expect(store.stateReplacedSeq).toBe(stateReplacedSeq);
  expect(lifecycle.bootstrapResult).toBe(bootstrapResult);
  lifecycle.reset();
  expect(listNames()).toEqual(['Default workspace']);
  lifecycle.resetAll();
  expect(lifecycle.bootstrapResult.apiKey).toBe(bootstrapResult.apiKey);
});

it('a seeded emulator that loads a snapshot of another one with the same seed repeats none of its secrets', async () => {
  const path = join(createTemporaryFolder(), 'state.svc');
  const forwardTo = (name: string) => ({ url: `http://127.0.0.1:9/${name}`, events: ['*'] });
  const { sandbox: first } = openSandbox();
  const { store, workspaces } = first;
  const saved = new StateLifecycle(first, { ...options, forwardTo: forwardTo('first') });
  store.writeNow(() => deleteWebhook(first, saved.bootstrapResult.webhookId ?? ''));
  const other = store.writeNow(() =>
    createWebhook(first, { workspace: workspaces.default, ...forwardTo('other') }),
  );
  saved.saveSnapshot(path);
  const { sandbox } = openSandbox();
  const lifecycle = new StateLifecycle(sandbox, { ...options, forwardTo: forwardTo('second') });
  lifecycle.loadSnapshot(path);
  const added = sandbox.store.webhooks.find(lifecycle.bootstrapResult.webhookId ?? '');
  expect(added?.url).toBe(forwardTo('second').url);
  expect(added?.secret).not.toBe(other.secret);
});

it('a start applies its clock settings to the default workspace of an earlier start', () => {
  const { sandbox } = openSandbox();
  new StateLifecycle(sandbox, options);
  new StateLifecycle(sandbox, { ...options, clock: { speed: 60, frozen: true } });
  expect(sandbox.workspaces.default.clock.getState()).toMatchObject({ speed: 60, frozen: true });
});

it('a reset sets each running clock back to its time at the start, also one that was stored long before', () => {
  const { sandbox, addWorkspace } = openSandbox();
  addWorkspace('Default');
  const { seq } = addWorkspace('Other');
  sandbox.wall.advance(DAY_MS);
  const lifecycle = new StateLifecycle(sandbox, options);
  const getTime = () => sandbox.workspaces.get(seq).clock.now();
  const startedAt = getTime();
  expect(startedAt).toBe(sandbox.wall.now());
  sandbox.wall.advance(DAY_MS);
  expect(getTime()).toBe(startedAt + DAY_MS);
  lifecycle.reset();
  expect(getTime()).toBe(startedAt);
});
