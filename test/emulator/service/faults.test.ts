import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulatorOptions } from '../../support/test-emulator.ts';
import { openSandbox } from './open-sandbox.ts';

async function open(options: TestEmulatorOptions = {}) {
  const emulator = await startTestEmulator(options);
  onTestFinished(() => emulator.close());
  return emulator;
}

const overloaded = { on: 'request', status: 503, count: 2 } as const;

it('faults and their applied counts survive a restart', async () => {
  const db = join(createTemporaryFolder(), 'sandbox.db');
  const first = await open({ db });
  const fault = await first.control.addFault(overloaded);
  expect((await first.api('GET', '/events')).status).toBe(503);
  await first.close();
  const { api, control } = await open({ db });
  expect((await control.listFaults({})).data).toEqual([{ ...fault, applied_count: 1 }]);
  expect([(await api('GET', '/events')).status, (await api('GET', '/events')).status]).toEqual([503, 200]);
});

describe('the choice of the fault that fires', () => {
  const request = { method: 'GET', path: '/v1/events', apiKeyId: 'key_1', workspaceId: 'ws_1' };
  const delivery = { workspaceId: 'ws_1', webhookId: 'wh_1', type: 'a.b' };
  const latency = { on: 'request', latency_ms: 5, probability: 1 } as const;
  const drop = { on: 'delivery', kind: 'drop', probability: 1 } as const;

  it('the oldest fault that matches fires until its count is reached, then the next one', async () => {
    const { sandbox } = openSandbox();
    const { faults, store } = sandbox;
    const apply = () => faults.applyToRequest(() => request)?.applied;
    expect(apply()).toBeUndefined();
    await faults.add({ ...latency, path: '/v1/webhooks' });
    await faults.add(drop);
    const first = await faults.add({ ...latency, count: 2 });
    const second = await faults.add({ on: 'request', status: 503, probability: 1 });
    expect([apply()?.id, apply()?.id, apply(), apply()?.id]).toEqual([
      ...[first.id, first.id, { id: second.id, kind: 'status' }, second.id],
    ]);
    store.flush();
    expect(store.faults.listAll().map(({ applied_count }) => applied_count)).toEqual([0, 0, 2, 2]);
    // A change of other faults keeps the counts that are not stored yet.
    apply();
    await faults.clear(second.id, null);
    expect(apply()).toBeUndefined();
  });

  it('a fault in deliveries fires for matching deliveries only', async () => {
    const { faults } = openSandbox().sandbox;
    const apply = (change = {}) => faults.applyToDelivery('1', () => ({ ...delivery, ...change }))?.applied;
    expect(apply()).toBeUndefined();
    await faults.add(latency);
    const { id } = await faults.add({ ...drop, webhook_id: 'wh_1' });
    expect(apply({ webhookId: 'wh_2' })).toBeUndefined();
    expect(apply()).toEqual({ id, kind: 'drop' });
    expect(faults.applyToRequest(() => request)?.applied.kind).toBe('latency');
  });

  it('an emulator without faults does not look at requests and deliveries', () => {
    const { faults } = openSandbox().sandbox;
    const fail = () => {
      throw new Error('not needed');
    };
    expect([faults.applyToRequest(fail), faults.applyToDelivery('1', fail)]).toEqual([undefined, undefined]);
  });

  it('a fault with a probability fires for a part of the requests, the same in each run with the same seed', async () => {
    const run = async (probability: number) => {
      const { faults } = openSandbox().sandbox;
      await faults.add({ ...latency, probability });
      return Array.from({ length: 200 }, () => faults.applyToRequest(() => request) !== undefined);
    };
    const applied = await run(0.25);
    expect(await run(0.25)).toEqual(applied);
    const count = applied.filter(Boolean).length;
    expect(count).toBeGreaterThan(25);
    expect(count).toBeLessThan(75);
    expect(await run(0)).not.toContain(true);
    expect(await run(1)).not.toContain(false);
  });

  it('whether a fault fires for an attempt depends on its name, not on the order of attempts', async () => {
    const { faults } = openSandbox().sandbox;
    await faults.add({ ...drop, probability: 0.5 });
    const names = Array.from({ length: 30 }, (_, index) => `attempt ${index}`);
    const appliesTo = (name: string) => faults.applyToDelivery(name, () => delivery) !== undefined;
    const applied = names.filter(appliesTo);
    expect(names.toReversed().filter(appliesTo)).toEqual(applied.toReversed());
    expect(applied.length).toBeGreaterThan(5);
    expect(applied.length).toBeLessThan(25);
  });

  it('a reload forgets the faults that were removed and the counts that were not stored', async () => {
    const { sandbox } = openSandbox();
    const { faults, store, bus } = sandbox;
    const { id } = await faults.add({ ...latency, count: 1 });
    expect(faults.applyToRequest(() => request)?.applied.id).toBe(id);
    store.flush();
    store.writeNow(() => store.faults.setAppliedCount(store.faults.find(id)?.seq ?? 0, 0));
    expect(faults.applyToRequest(() => request)).toBeUndefined();
    bus.publish({ type: 'schedule_changed' });
    expect(faults.applyToRequest(() => request)).toBeUndefined();
    bus.publish({ type: 'state_replaced' });
    expect(faults.applyToRequest(() => request)?.applied.id).toBe(id);
    store.flush();
    store.writeNow(() => store.faults.delete(null, null));
    faults.reload();
    expect(faults.applyToRequest(() => request)).toBeUndefined();
  });
});
