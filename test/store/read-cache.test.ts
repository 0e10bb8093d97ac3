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

it('endpoints that are kept in memory are those of the rows after every change', async () => {
  const { store, insert, subscribed } = open();
  expect(subscribed()).toEqual([]);
  const first = await store.write(insert);
  const second = await store.write(insert);
  expect(subscribed()).toEqual([first, second]);
  await store.write(() => store.webhooks.update({ ...store.webhooks.getBySeq(first), disabled: 1 }));
  expect(subscribed()).toEqual([second]);
});

it('an endpoint of a write that was undone alone is not kept', async () => {
  const { store, insert, subscribed } = open();
  const seen: number[][] = [];
  const writes = [
    store.write(insert),
    store.write(() => {
      insert();
      subscribed();
      fail();
    }),
    store.write(() => seen.push(subscribed())),
  ];
  const [first] = await Promise.allSettled(writes);
  expect(seen).toEqual([[(first as PromiseFulfilledResult<number>).value]]);
  expect(subscribed()).toEqual(seen[0]);
});
