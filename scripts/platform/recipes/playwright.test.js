import { expect, test } from 'svc-emulator/playwright';

test.use({ emulatorOptions: { sender: 'stripe' } });

test('a payment is delivered again, 5 minutes after the receiver failed', async ({ workspace, receiver }) => {
  receiver.respond([500, 200]);
  await workspace.trigger('payment_intent.succeeded');
  await receiver.request(1);

  await workspace.clock.advance('5m');

  await expect(workspace).toHaveDelivered('payment_intent.succeeded', { times: 1, to: receiver.url });
});
