import { expect, it } from 'vitest';
import { insertWebhook, insertWorkspace, openStore } from './rows.ts';

const fail = () => {
  throw new Error('no');
};

function open() {
  const store = openStore();
  const workspace = store.writeNow(() => insertWorkspace(store));
  const insert = () => insertWebhook(store, workspace);
  const subscribed = () => store.webhooks.listSubscribed(workspace, 'order.shipped').map(({ seq }) => seq);
  return { store, insert, subscribed };
}

it('an endpoint of a rolled-back operation is not cached', async () => {
  const { store, insert, subscribed } = open();
  const reads: number[][] = [];
  const writes = [
    store.write(insert),
    store.write(() => {
      insert();
      subscribed();
      fail();
    }),
    store.write(() => reads.push(subscribed())),
  ];
  const [first] = await Promise.allSettled(writes);
  expect(reads).toEqual([[(first as PromiseFulfilledResult<number>).value]]);
  expect(subscribed()).toEqual(reads[0]);
});
