import { describe, expect, it, vi } from 'vitest';
import { Sql } from '../../src/store/sql.ts';
import { insertDeliveries, insertWebhook, insertWorkspace, NOW, openStore } from './rows.ts';

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

describe('the cached rows of deliveries', () => {
  function openDelivery() {
    const store = openStore();
    const place = insertDeliveries(store, [NOW]);
    const [seq = 0] = place.deliveries;
    return { store, ...place, seq, find: () => store.deliveries.findSendable(seq) };
  }

  it('a delivery is read once until it or an endpoint changes', () => {
    const { store, webhook, seq, find } = openDelivery();
    const read = vi.spyOn(Sql.prototype, 'get');
    expect(find()).toMatchObject({ seq, attempt_count: 0 });
    expect([find()?.seq, store.deliveries.getProgress(seq).seq]).toEqual([seq, seq]);
    expect(read).toHaveBeenCalledTimes(1);
    store.writeNow(() => store.deliveries.incrementAttemptCount(seq));
    expect(find()?.attempt_count).toBe(1);
    const url = 'http://127.0.0.1:8/';
    store.writeNow(() => store.webhooks.update({ ...store.webhooks.getBySeq(webhook), url }));
    expect(find()?.url).toBe(url);
  });

  it('a delivery that was changed by a rolled-back operation is read again', async () => {
    const { store, seq, find } = openDelivery();
    expect(store.deliveries.countPending()).toBe(1);
    const write = store.write(() => {
      store.deliveries.postpone(seq, NOW + 9, '{}');
      expect(find()?.due_at).toBe(NOW + 9);
      fail();
    });
    await expect(write).rejects.toThrow('no');
    expect([store.deliveries.getProgress(seq).due_at, find()?.due_at]).toEqual([NOW, NOW]);
    expect(store.deliveries.countPending()).toBe(1);
  });

  it('the row of a new delivery that is cached equals the row that is read', () => {
    const { store, workspace, webhook, event } = openDelivery();
    const seq = store.nextSeq();
    const row = { seq, id: 'del_new', event_seq: event, webhook_seq: webhook, workspace_seq: workspace };
    const delivery = { ...row, created_at: NOW, due_at: NOW };
    const { envelope } = store.events.list(workspace, null, { limit: 1, beforeSeq: null }).rows[0] ?? {};
    store.writeNow(() => {
      store.deliveries.insert(delivery);
      store.deliveries.preload(delivery, store.webhooks.getBySeq(webhook), envelope ?? '');
    });
    const cached = store.deliveries.findSendable(seq);
    store.deliveries.clearCache();
    expect(store.deliveries.findSendable(seq)).toEqual(cached);
  });

  it('the progress of a delivery that does not exist is an error', () => {
    const { store } = openDelivery();
    expect(() => store.deliveries.getProgress(0)).toThrow('delivery 0 does not exist');
  });
});
