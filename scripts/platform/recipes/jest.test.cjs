const { createEmulator, createReceiver } = require('svc-emulator');

let emulator;
let receiver;
beforeAll(async () => {
  emulator = await createEmulator({ clock: { frozen: true } });
});
afterEach(() => receiver?.close());
afterAll(() => emulator?.close());

test('the third attempt succeeds, 35 minutes after the first', async () => {
  receiver = await createReceiver([500, 500, 200]);
  const { secret } = await emulator.webhooks.create({ url: receiver.url, events: ['order.shipped'] });
  receiver.verifyWith(secret);
  await emulator.trigger('order.shipped', { order: 'ord_1' });

  await emulator.clock.advance('35m');

  const third = await receiver.request(3);
  expect(third.verification).toMatchObject({ ok: true });
  expect(third.envelope.data.payload).toEqual({ order: 'ord_1' });
});
