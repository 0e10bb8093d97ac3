import { expect, it } from 'vitest';
import { startDeliverySetup } from '../emulator/deliveries/delivery-setup.ts';
import { loadPageOf } from './fake-browser.ts';

const own = { scheme: 'svc' } as const;

it.each([
  [own, ['*'], 'order.shipped'],
  [own, ['order.lost', 'order.shipped'], 'order.shipped'],
  [own, ['order.lost'], 'order.lost'],
  ['svc' as const, ['order.lost', 'invoice.paid'], 'invoice.paid'],
])(
  'a test event of the sender %j, of which only svc has fixtures, to an endpoint that subscribes to %j is %s',
  async (sender, events, type) => {
    const { emulator, control, webhook } = await startDeliverySetup(200, {
      sender,
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
