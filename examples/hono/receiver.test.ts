import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { sign } from 'svc-emulator/signature';
import { test as emulatorTest } from 'svc-emulator/vitest';
import { expect, type Mock, vi } from 'vitest';
import { createApp, type ReceiverOptions } from './receiver.ts';

interface Shop {
  readonly app: ReturnType<typeof createApp>;
  readonly secret: string;
  readonly enqueue: Mock<ReceiverOptions['enqueue']>;
}

const test = emulatorTest.extend<{ shop: Shop }>({
  /** The receiver on a free port, registered in the workspace of the test. */
  shop: async ({ workspace }, use) => {
    // The app needs the secret, and its port is known only when it listens. So the endpoint gets its URL later.
    const url = 'http://127.0.0.1/webhooks';
    const { id, secret } = await workspace.webhooks.create({ url, events: ['order.shipped'] });
    const enqueue = vi.fn<ReceiverOptions['enqueue']>();
    const app = createApp({ secret, enqueue });
    const server = createAdaptorServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await workspace.webhooks.update(id, { url: `http://127.0.0.1:${port}/webhooks` });
    await use({ app, secret, enqueue });
    server.close();
  },
});

function fail(): never {
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
  expect(delivery?.attempt_count).toBe(3);
  expect(shop.enqueue).toHaveBeenCalledTimes(3);
});

test('a second delivery of an event is accepted and processed only once', async ({ workspace, shop }) => {
  const { event, deliveries } = await workspace.trigger('order.shipped');
  for (const { id } of deliveries) await workspace.deliveries.replay(id, { new_id: true });

  const both = await workspace.deliveries.wait({ event_id: event.id }, { status: 'succeeded', count: 2 });

  expect(both).toHaveLength(2);
  expect(shop.enqueue).toHaveBeenCalledTimes(1);
});

test('a delivery with another secret or an old timestamp is rejected', async ({ shop }) => {
  const body = JSON.stringify({ type: 'order.shipped', data: { id: 'evt_1' } });
  const forged = { secret: 'whsec_of_another_endpoint' };
  const stale = { secret: shop.secret, timestampMs: Date.now() - 6 * 60_000 };
  for (const by of [forged, stale]) {
    const { headers } = sign({ payload: body, id: 'del_1', ...by });
    const response = await shop.app.request('/webhooks', { method: 'POST', headers, body });
    expect(response.status).toBe(400);
  }
  expect(shop.enqueue).not.toHaveBeenCalled();
});
