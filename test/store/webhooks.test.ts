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

it('cached endpoints equal the rows after every change', async () => {
  const { store, insert, subscribed } = open();
  expect(subscribed()).toEqual([]);
  const first = await store.write(insert);
  const second = await store.write(insert);
  expect(subscribed()).toEqual([first, second]);
  await store.write(() => store.webhooks.update({ ...store.webhooks.getBySeq(first), disabled: 1 }));
  expect(subscribed()).toEqual([second]);
});

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
