import { once } from 'node:events';
import { createServer } from 'node:http';
import { sign } from 'svc-emulator/signature';
import { test as emulatorTest } from 'svc-emulator/vitest';
import { expect, vi } from 'vitest';
import { createApp } from './receiver.js';

const test = emulatorTest.extend({
  /** The receiver on a free port, registered in the workspace of the test. */
  shop: async ({ workspace }, use) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${server.address().port}/webhooks`;
    const { secret } = await workspace.webhooks.create({ url, events: ['order.shipped'] });
    const enqueue = vi.fn();
    server.on('request', createApp({ secret, enqueue }));
    await use({ url, secret, enqueue });
    server.close();
    server.closeAllConnections();
  },
});

function fail() {
  throw new Error('the queue has failed');
}

test('the first delivery is accepted', async ({ workspace, shop }) => {
  const { event } = await workspace.trigger('order.shipped', { order: 'ord_1' });
  await expect(workspace).toHaveDelivered('order.shipped', { times: 1, payload: { order: 'ord_1' } });
  expect(shop.enqueue.mock.calls).toEqual([[event]]);
});

test('the third attempt is accepted after the queue failed twice', async ({ workspace, shop }) => {
  shop.enqueue.mockImplementationOnce(fail).mockImplementationOnce(fail);
  const { event } = await workspace.trigger('order.shipped');

  await workspace.clock.advance('35m');

  const [delivery] = await workspace.deliveries.wait({ event_id: event.id }, { status: 'succeeded' });
  expect(delivery.attempt_count).toBe(3);
  expect(shop.enqueue).toHaveBeenCalledTimes(3);
});

test('a replay is accepted and processed only once', async ({ workspace, shop }) => {
  const { event } = await workspace.trigger('order.shipped');
  const [{ id }] = await workspace.deliveries.wait({ event_id: event.id }, { status: 'succeeded' });

  await workspace.deliveries.replay(id);

  const [replayed] = await workspace.deliveries.wait({ event_id: event.id }, { status: 'succeeded' });
  expect(replayed.attempt_count).toBe(2);
  expect(shop.enqueue).toHaveBeenCalledTimes(1);
});

test('a delivery with another secret or an old timestamp is rejected', async ({ shop }) => {
  const payload = JSON.stringify({ type: 'order.shipped', data: { id: 'evt_1' } });
  const forged = { secret: 'whsec_of_another_endpoint' };
  const stale = { secret: shop.secret, timestampMs: Date.now() - 6 * 60_000 };
  for (const by of [forged, stale]) {
    const { headers } = sign({ payload, id: 'del_1', ...by });
    const response = await fetch(shop.url, { method: 'POST', headers, body: payload });
    expect(response.status).toBe(400);
  }
  expect(shop.enqueue).not.toHaveBeenCalled();
});
