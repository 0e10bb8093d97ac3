import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { sign } from 'svc-emulator/signature';
import { test as emulatorTest } from 'svc-emulator/vitest';
import { afterEach, expect, vi } from 'vitest';
import { queue } from './app/queue.ts';
import { POST } from './app/webhooks/route.ts';

const test = emulatorTest.extend<{ secret: string }>({
  /** The endpoint secret of the route, which is served on a free port and registered in the workspace of the test. */
  secret: [
    async ({ workspace }, use) => {
      const server = createServer(getRequestListener(POST)).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}/webhooks`;
      const { secret } = await workspace.webhooks.create({ url, events: ['order.shipped'] });
      vi.stubEnv('SVC_WEBHOOK_SECRET', secret);
      await use(secret);
      server.close();
    },
    { auto: true },
  ],
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  queue.clear();
});

function fail(): never {
  throw new Error('the queue has failed');
}

test('the first delivery is accepted', async ({ workspace }) => {
  const { event } = await workspace.trigger('order.shipped', { order: 'ord_1' });
  await expect(workspace).toHaveDelivered('order.shipped', { times: 1, payload: { order: 'ord_1' } });
  expect(queue.list()).toEqual([event]);
});

test('the third attempt is accepted after the queue failed twice', async ({ workspace }) => {
  vi.spyOn(console, 'error').mockReturnValue(); // The server logs the error of the route.
  vi.spyOn(queue, 'put').mockImplementationOnce(fail).mockImplementationOnce(fail);
  const { event } = await workspace.trigger('order.shipped');

  await workspace.clock.advance('35m');

  const [delivery] = await workspace.deliveries.wait({ event_id: event.id }, { status: 'succeeded' });
  expect(delivery?.attempt_count).toBe(3);
  expect(queue.list()).toEqual([event]);
});

test('a replay is accepted and processed only once', async ({ workspace }) => {
  const { event } = await workspace.trigger('order.shipped');
  const ofEvent = { event_id: event.id };
  for (const { id } of await workspace.deliveries.wait(ofEvent)) await workspace.deliveries.replay(id);

  const [replayed] = await workspace.deliveries.wait(ofEvent, { status: 'succeeded' });
  expect(replayed?.attempt_count).toBe(2);
  expect(queue.list()).toEqual([event]);
});

test('a delivery with another secret or an old timestamp is rejected', async ({ secret }) => {
  const body = JSON.stringify({ type: 'order.shipped', data: { id: 'evt_1' } });
  const forged = { secret: 'whsec_of_another_endpoint' };
  const stale = { secret, timestampMs: Date.now() - 6 * 60_000 };
  for (const by of [forged, stale]) {
    const { headers } = sign({ payload: body, id: 'del_1', ...by });
    const response = await POST(new Request('http://localhost/webhooks', { method: 'POST', headers, body }));
    expect(response.status).toBe(400);
  }
  expect(queue.list()).toEqual([]);
});
