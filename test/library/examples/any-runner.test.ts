import assert from 'node:assert/strict';
import { createEmulator, createReceiver, type Emulator } from 'svc-emulator';
import { afterAll, beforeAll, test } from 'vitest'; // or node:test, or Jest

let emulator: Emulator;

beforeAll(async () => {
  emulator = await createEmulator({ clock: { frozen: true } });
});
afterAll(() => emulator?.close());

test.concurrent('a receiver that is down for an hour receives the event later', async () => {
  await using workspace = await emulator.createWorkspace();
  await using receiver = await createReceiver(503);
  const webhook = await workspace.webhooks.create({ url: receiver.url, events: ['order.shipped'] });
  receiver.verifyWith(webhook.secret);

  const { event } = await workspace.trigger('order.shipped');
  await workspace.clock.advance('1h');
  receiver.respond(200);
  await workspace.clock.settle();

  const [delivery] = await workspace.deliveries.wait({ event_id: event.id }, { status: 'succeeded' });
  assert.equal(delivery?.attempt_count, 4);
});
