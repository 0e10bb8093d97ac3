import { describe, expect } from 'vitest';
import { it as base, test } from '../../src/vitest.ts';
import { createGate } from '../emulator/deliveries/sender-setup.ts';

test('the fixtures are a workspace and a receiver that gets and verifies every delivery', async ({
  emulator,
  workspace,
  receiver,
}) => {
  const { event } = await workspace.trigger('order.shipped', { order: 1, items: [{ sku: 'MUG' }] });
  await expect(workspace).toHaveDelivered('order.shipped');
  await expect(workspace).toHaveDelivered('order.shipped', {
    ...{ times: 1, to: receiver.url, status: 'succeeded' },
    payload: { items: [{ sku: expect.stringMatching(/^M/) }] },
  });
  expect(receiver.requests).toMatchObject([{ eventId: event.id, verification: { ok: true } }]);
  expect(workspace.workspaceId).not.toBe(emulator.workspaceId);
  await expect(emulator).not.toHaveDelivered('order.shipped');
});

test('the fixtures start each test with a new workspace and receiver', async ({ workspace, receiver }) => {
  expect(await workspace.deliveries.list()).toEqual([]);
  expect(receiver.requests).toEqual([]);
});

test('a test can delete the endpoint of its receiver', async ({ workspace, receiver }) => {
  const endpoints = await workspace.webhooks.list();
  for (const { id, url } of endpoints) if (url === receiver.url) await workspace.webhooks.delete(id);
});

describe('toHaveDelivered', () => {
  test('toHaveDelivered waits for deliveries that are still to come', async ({ workspace, receiver }) => {
    receiver.respond([500, 200]);
    const delivered = expect(workspace).toHaveDelivered('order.shipped', { payload: { order: 2 } });
    await workspace.trigger('order.shipped', { order: 1 });
    await workspace.trigger('order.shipped', { order: 2 });
    await workspace.clock.settle();
    await delivered;
    await expect(workspace).toHaveDelivered('order.shipped', { times: 2 });
  });

  test('toHaveDelivered lists the deliveries that were made instead', async ({ workspace, receiver }) => {
    receiver.respond([500]);
    await workspace.trigger('order.shipped', { order: 1 });
    await receiver.request(1);
    // Until the attempt is recorded.
    await workspace.clock.advance(0);
    const delivered = expect(workspace).toHaveDelivered('order.shipped', { timeout: 50 });
    await expect(delivered).rejects.toThrow(
      /^expected deliveries of order\.shipped\n {2}del_\w+ failing after 1 attempt/,
    );
    await workspace.clock.settle();
    const failed = expect(workspace).toHaveDelivered('order.shipped', { status: 'succeeded', timeout: '1h' });
    await expect(failed).rejects.toThrow(/"status.+\n {2}del_\w+ to http:.+: failed after 8 attempts$/s);
    await expect(workspace).toHaveDelivered('order.shipped', { status: 'failed' });
  });

  test('not.toHaveDelivered passes once every due attempt has ended', async ({ workspace, receiver }) => {
    const gate = createGate();
    receiver.respond({ after: gate.opened });
    await expect(workspace).toHaveDelivered('order.shipped', { times: 0 });
    await workspace.trigger('order.shipped');
    const none = expect(expect(workspace).not.toHaveDelivered('order.shipped')).rejects.toThrow(
      /^expected no deliveries of order\.shipped\n {2}del_/,
    );
    await receiver.request(1);
    gate.open();
    await none;
    await expect(expect(workspace).toHaveDelivered('order.shipped', { times: 0 })).rejects.toThrow();
  });
});

const it = base.extend({ emulatorOptions: [{ profile: 'strict', clock: { speed: 60 } }, { scope: 'file' }] });

it('the emulator fixture uses emulatorOptions', async ({ emulator, workspace }) => {
  expect(emulator.status().profile).toBe('strict');
  expect((await workspace.clock.show()).speed).toBe(60);
});
