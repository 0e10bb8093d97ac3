import { test } from 'svc-emulator/vitest';
import { expect } from 'vitest';

test('a receiver that is down for two hours receives the event with the fourth attempt', async ({
  workspace,
  receiver,
}) => {
  receiver.respond({ downFor: '2h' });
  const created = workspace.events.wait({
    type: 'invoice.paid',
    where: ({ payload }) => payload.order === 'ord_1',
  });

  await workspace.trigger('invoice.paid', { order: 'ord_1' });
  expect(await created).toHaveLength(1);
  await workspace.clock.settle();

  await expect(workspace).toHaveDelivered('invoice.paid', { times: 1 });
  expect(await workspace.deliveries.snapshot()).toMatchObject([
    {
      id: 'del_1',
      attempts: [
        { after: '0ms' },
        { after: '5m' },
        { after: '35m' },
        { after: '2h35m', response_status: 200 },
      ],
    },
  ]);
});
