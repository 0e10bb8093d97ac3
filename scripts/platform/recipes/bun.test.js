import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { createEmulator, createReceiver } from 'svc-emulator';

let emulator;
let receiver;
beforeAll(async () => {
  emulator = await createEmulator({ clock: { frozen: true } });
});
afterEach(() => receiver?.close());
afterAll(() => emulator?.close());

test('a receiver that refuses the first attempt receives the second', async () => {
  receiver = await createReceiver([500, 200]);
  const { secret } = await emulator.webhooks.create({ url: receiver.url, events: ['order.shipped'] });
  receiver.verifyWith(secret);
  await emulator.trigger('order.shipped');
  await emulator.clock.next();
  const second = await receiver.request(2);
  expect(second.verification).toMatchObject({ ok: true });
});
