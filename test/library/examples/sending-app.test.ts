import { test } from 'svc-emulator/vitest';
import { expect } from 'vitest';

/** Code under test: reports to the service that an order was paid. */
async function payOrder(order: string, service: { baseUrl: string; apiKey: string }) {
  const response = await fetch(`${service.baseUrl}/events`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': `paid-${order}`,
    },
    body: JSON.stringify({ type: 'invoice.paid', payload: { order } }),
  });
  if (!response.ok) throw new Error(`The service returned ${response.status}.`);
}

test('an order that is paid twice creates one event', async ({ workspace, receiver }) => {
  await payOrder('ord_1', workspace);
  await payOrder('ord_1', workspace);
  await expect(workspace).toHaveDelivered('invoice.paid', { times: 1, to: receiver.url });
});
