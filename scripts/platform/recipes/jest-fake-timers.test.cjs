const { createEmulator, createReceiver } = require('svc-emulator');

let emulator;
let receiver;
beforeAll(async () => {
  emulator = await createEmulator({ clock: { frozen: true } });
  receiver = await createReceiver(503);
});
afterAll(() => Promise.all([emulator.close(), receiver.close()]));

test('the emulator continues while the timers of the test are fake', async () => {
  jest.useFakeTimers();
  const { id } = await emulator.webhooks.create({ url: receiver.url });
  await emulator.trigger('invoice.paid');
  await emulator.clock.settle();
  const [delivery] = await emulator.deliveries.list({ webhook_id: id });
  expect(delivery).toMatchObject({ status: 'failed', attempt_count: 8 });
});
