import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, mock, test } from 'node:test';
import { createEmulator } from 'svc-emulator';
import { sign } from 'svc-emulator/signature';
import { createApp } from './receiver.js';

let emulator;
let workspace;
let app;
let secret;
let enqueue;

before(async () => {
  emulator = await createEmulator({ clock: { frozen: true } });
});
after(() => emulator?.close());

beforeEach(async () => {
  workspace = await emulator.createWorkspace();
  // The app needs the secret, and its port is known only when it listens. So the endpoint gets its URL later.
  const url = 'http://127.0.0.1/webhooks';
  const webhook = await workspace.webhooks.create({ url, events: ['order.shipped'] });
  secret = webhook.secret;
  enqueue = mock.fn();
  app = createApp({ secret, enqueue });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  await workspace.webhooks.update(webhook.id, { url: `${address}/webhooks` });
});
afterEach(async () => {
  await workspace.close();
  await app.close();
});

function fail() {
  throw new Error('the queue has failed');
}

/** Waits for the delivery of the event to succeed. */
async function delivered(event) {
  const [delivery] = await workspace.deliveries.wait({ event_id: event.id }, { status: 'succeeded' });
  return delivery;
}

test('the first delivery is accepted', async () => {
  const { event } = await workspace.trigger('order.shipped', { order: 'ord_1' });
  assert.equal((await delivered(event)).attempt_count, 1);
  assert.deepEqual(enqueue.mock.calls[0].arguments, [event]);
});

test('the third attempt is accepted after the queue failed twice', async () => {
  enqueue.mock.mockImplementationOnce(fail, 0);
  enqueue.mock.mockImplementationOnce(fail, 1);
  const { event } = await workspace.trigger('order.shipped');

  await workspace.clock.advance('35m');

  assert.equal((await delivered(event)).attempt_count, 3);
  assert.equal(enqueue.mock.callCount(), 3);
});

test('a replay is accepted and processed only once', async () => {
  const { event } = await workspace.trigger('order.shipped');
  const { id } = await delivered(event);

  await workspace.deliveries.replay(id);

  assert.equal((await delivered(event)).attempt_count, 2);
  assert.equal(enqueue.mock.callCount(), 1);
});

test('a delivery with another secret or an old timestamp is rejected', async () => {
  const payload = JSON.stringify({ type: 'order.shipped', data: { id: 'evt_1' } });
  const forged = { secret: 'whsec_of_another_endpoint' };
  const stale = { secret, timestampMs: Date.now() - 6 * 60_000 };
  for (const by of [forged, stale]) {
    const { headers } = sign({ payload, id: 'del_1', ...by });
    const response = await app.inject({ method: 'POST', url: '/webhooks', headers, payload });
    assert.equal(response.statusCode, 400);
  }
  assert.equal(enqueue.mock.callCount(), 0);
});
