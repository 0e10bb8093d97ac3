import { describe, expect, it } from 'vitest';
import type { StreamTopic } from '../../src/operations/stream-schemas.ts';
import type { Store } from '../../src/store/store.ts';
import { explainPrepared } from './query-plan.ts';
import { insertAttempt, insertDeliveries, insertDelivery, insertRequest, NOW, openStore } from './rows.ts';

const ALL: ReadonlySet<StreamTopic> = new Set(['delivery', 'attempt', 'request', 'webhook']);

/** @returns the sequence of the change */
function changeWebhook(store: Store, seq: number): number {
  const changedSeq = store.nextSeq();
  store.webhooks.update({ ...store.webhooks.getBySeq(seq), changed_seq: changedSeq });
  return changedSeq;
}

/** Two deliveries, a request, an attempt of each delivery, a change of their endpoint, the first canceled, a request. */
function fill() {
  const store = openStore();
  const { webhook, deliveries } = insertDeliveries(store, [NOW, NOW]);
  const [first = 0, second = 0] = deliveries;
  const seqs = store.writeNow(() => {
    const request = insertRequest(store, NOW);
    const attempts = [insertAttempt(store, second, 1, NOW + 10), insertAttempt(store, first, 1, NOW + 20)];
    const before = store.deliveries.getProgress(second);
    const settled = { status: 'succeeded', due_at: null, settled_at: NOW, settled_reason: null } as const;
    store.deliveries.update({ ...before, ...settled });
    const changedAt = changeWebhook(store, webhook);
    const canceledAt = store.lastSeq + 1;
    store.cancelDeliveries(webhook, NOW);
    return { request, attempts, changedAt, canceledAt, last: insertRequest(store, NOW + 30) };
  });
  const [attemptOfSecond, attemptOfFirst] = seqs.attempts;
  return {
    store,
    order: [
      { seq: first, type: 'delivery', rowSeq: first },
      { seq: second, type: 'delivery', rowSeq: second },
      { seq: seqs.request, type: 'request', rowSeq: 0 },
      { seq: attemptOfSecond, type: 'attempt', rowSeq: second },
      { seq: attemptOfFirst, type: 'attempt', rowSeq: first },
      { seq: seqs.changedAt, type: 'webhook', rowSeq: webhook },
      { seq: seqs.canceledAt, type: 'delivery', rowSeq: first },
      { seq: seqs.last, type: 'request', rowSeq: 0 },
    ],
  };
}

describe('ChangeFeed', () => {
  it('listAfter returns the changes of all tables in one order', () => {
    const { store, order } = fill();
    expect(store.changeFeed.listAfter(0, ALL, 100)).toEqual(order);
    expect(order.map(({ seq }) => seq ?? 0)).toEqual(
      order.map(({ seq }) => seq ?? 0).toSorted((a, b) => a - b),
    );
  });

  it('listAfter continues after any sequence without gaps or repeats', () => {
    const { store, order } = fill();
    for (const size of [1, 2, 3]) {
      const listed = [];
      for (let after = 0, read = true; read; ) {
        const items = store.changeFeed.listAfter(after, ALL, size);
        listed.push(...items);
        after = items.at(-1)?.seq ?? after;
        read = items.length > 0;
      }
      expect(listed).toEqual(order);
    }
  });

  it('listAfter returns the newest change of each endpoint, without those that were returned before', () => {
    const store = openStore();
    const [first, second] = [insertDeliveries(store, [NOW]), insertDeliveries(store, [NOW])];
    const change = (webhook: number) =>
      store.writeNow(() => {
        return { seq: changeWebhook(store, webhook), type: 'webhook', rowSeq: webhook } as const;
      });
    const deliveries = [first, second].flatMap((place) =>
      place.deliveries.map((seq) => ({ seq, type: 'delivery', rowSeq: seq }) as const),
    );
    const old = change(first.webhook);
    const middle = change(second.webhook);
    const list = (after: number) => store.changeFeed.listAfter(after, ALL, 100);
    expect(list(0)).toEqual([...deliveries, old, middle]);
    expect(list(old.seq)).toEqual([middle]);
    expect(list(middle.seq)).toEqual([]);
    const newest = change(first.webhook);
    expect(list(0)).toEqual([...deliveries, middle, newest]);
    expect(list(middle.seq)).toEqual([newest]);
  });

  it('listAfter returns only the given types', () => {
    const { store, order } = fill();
    for (const type of ALL) {
      const ofType = order.filter((item) => item.type === type);
      expect(store.changeFeed.listAfter(0, new Set([type]), 100)).toEqual(ofType);
    }
  });

  it('findLastSeqBeforeDeliveries misses no delivery even if the clocks of workspaces differ', () => {
    const store = openStore();
    const place = insertDeliveries(store, []);
    const [, ahead = 0, behind = 0] = store.writeNow(() =>
      [NOW, NOW + 20, NOW + 10].map((created_at) => insertDelivery(store, place, { created_at })),
    );
    const find = (since: number) => store.changeFeed.findLastSeqBeforeDeliveries(since);
    expect([NOW + 20, NOW + 10, NOW + 21].map(find)).toEqual([ahead - 1, ahead - 1, undefined]);
    expect(ahead).toBeLessThan(behind);
  });

  it('findLastSeqBeforeRequests returns the newest sequence before which every request was logged', () => {
    const store = openStore();
    // Each request takes one millisecond, and is written within a second after it.
    const [first, second] = store.writeNow(() =>
      [NOW, NOW + 5].map((at) => insertRequest(store, at - 1_000)),
    );
    const find = (wallTime: number) => store.changeFeed.findLastSeqBeforeRequests(wallTime);
    expect([NOW + 1, NOW + 2, NOW + 6, NOW + 7].map(find)).toEqual([0, first, first, second]);
  });

  it('listAfter searches an index of each table', async () => {
    const store = openStore();
    const [plan] = await explainPrepared(/UNION ALL/, () => store.changeFeed.listAfter(0, ALL, 9));
    expect(plan?.steps).toEqual(
      expect.arrayContaining([
        'SEARCH deliveries USING INTEGER PRIMARY KEY (rowid>?)',
        'SEARCH deliveries USING COVERING INDEX deliveries_settled_apart (settled_seq>?)',
        'SEARCH attempts USING INTEGER PRIMARY KEY (rowid>?)',
        'SEARCH webhooks USING COVERING INDEX webhooks_changed (changed_seq>?)',
        'SEARCH api_requests USING INTEGER PRIMARY KEY (rowid>?)',
      ]),
    );
    expect(plan?.steps.filter((step) => /SCAN (deliveries|attempts|api_requests)/.test(step))).toEqual([]);
  });
});
