import { test } from 'svc-emulator/vitest';
import { expect } from 'vitest';

test('the third attempt succeeds, 35 minutes after the first', async ({ workspace, receiver }) => {
  receiver.respond([500, 500, 200]);
  await workspace.trigger('order.shipped', { order: 'ord_1' });
  await receiver.request(1);

  await workspace.clock.advance('35m');

  const third = await receiver.request(3);
  expect(third.verification).toMatchObject({ ok: true });
  expect(third.envelope?.data.payload).toEqual({ order: 'ord_1' });
  await expect(workspace).toHaveDelivered('order.shipped', { times: 1, payload: { order: 'ord_1' } });
});
