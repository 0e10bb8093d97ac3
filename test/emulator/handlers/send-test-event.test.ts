import { expect, it } from 'vitest';
import { startTestEmulator } from '../../support/test-emulator.ts';
import { createReceiver } from '../../support/test-receiver.ts';

it('a test event reaches only its endpoint, with the numbers of the payload unchanged', async () => {
  await using receiver = await createReceiver();
  await using other = await createReceiver();
  await using emulator = await startTestEmulator();
  const { control } = emulator;
  const { id } = await control.createWebhook({ url: receiver.url, events: ['invoice.paid'] });
  await control.createWebhook({ url: other.url });
  const event = { id, type: 'order.shipped', payload_text: '{"total":12.50}' };
  const delivery = await control.sendTestEvent(event);
  expect(delivery).toMatchObject({ webhook_id: id, event_type: 'order.shipped', status: 'pending' });
  const { body } = await receiver.request(1);
  expect(body.toString()).toContain('"payload":{"total":12.50}');
  await control.settleClock({});
  expect(other.requests).toEqual([]);
  expect((await control.listDeliveries({})).data).toHaveLength(1);
});
