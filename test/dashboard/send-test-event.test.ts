import { expect, it } from 'vitest';
import { startDeliverySetup } from '../emulator/deliveries/delivery-setup.ts';
import { loadPageOf } from './fake-browser.ts';

it.each([
  [['*'], 'order.shipped'],
  [['order.lost', 'order.shipped'], 'order.shipped'],
  [['order.lost'], 'order.lost'],
])(
  'a test event to an endpoint of a sender without fixtures that subscribes to %j is %s',
  async (events, type) => {
    const { emulator, control, webhook } = await startDeliverySetup(200, {
      sender: { scheme: 'svc' },
      projectFolder: import.meta.dirname,
    });
    await loadPageOf(emulator);
    const { status } = await import('../../src/dashboard/session.ts');
    status.value = emulator.status();
    const { sendTestEvent } = await import('../../src/dashboard/views/webhooks/send-test-event.ts');
    await sendTestEvent({ id: webhook.id, events });
    expect((await control.listDeliveries({})).data).toMatchObject([{ event_type: type }]);
  },
);
