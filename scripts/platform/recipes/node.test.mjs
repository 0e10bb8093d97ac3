import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createEmulator, createReceiver } from 'svc-emulator';

let emulator;
before(async () => {
  emulator = await createEmulator({ clock: { frozen: true } });
});
after(() => emulator?.close());

test('a receiver that refuses the first attempt receives the second', async (t) => {
  const receiver = await createReceiver([500, 200]);
  t.after(() => receiver.close());
  await emulator.webhooks.create({ url: receiver.url, events: ['order.shipped'] });
  await emulator.trigger('order.shipped');
  await emulator.clock.next();
  const [delivery] = await emulator.deliveries.wait({}, { status: 'succeeded' });
  assert.equal(delivery.attempt_count, 2);
});
