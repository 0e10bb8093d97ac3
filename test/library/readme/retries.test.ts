import { test } from 'svc-emulator/vitest';
import { expect } from 'vitest';

test('the receiver gets the third attempt after 35 minutes', async ({ workspace, receiver }) => {
  receiver.respond([500, 500, 200]);
  await workspace.trigger('order.shipped', { order: 'ord_1' });
  await receiver.request(1);
  await workspace.clock.advance('35m');
  await expect(workspace).toHaveDelivered('order.shipped', { times: 1 });
});
