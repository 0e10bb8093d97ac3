import { describe, expect, it } from 'vitest';
import type { StreamTopic } from '../../src/operations/stream-schemas.ts';
import { explainPrepared } from './query-plan.ts';
import { insertAttempt, insertDeliveries, insertDelivery, insertRequest, NOW, openStore } from './rows.ts';

const ALL: ReadonlySet<StreamTopic> = new Set(['delivery', 'attempt', 'request']);

/** Two deliveries, a request, an attempt of each delivery, the first canceled, a request. */
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
    const canceledAt = store.lastSeq + 1;
    store.cancelDeliveries(webhook, NOW);
    return { request, attempts, canceledAt, last: insertRequest(store, NOW + 30) };
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
      { seq: seqs.canceledAt, type: 'delivery', rowSeq: first },
      { seq: seqs.last, type: 'request', rowSeq: 0 },
    ],
  };
}

describe('ChangeFeed', () => {
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
        'SEARCH api_requests USING INTEGER PRIMARY KEY (rowid>?)',
      ]),
    );
    expect(plan?.steps.filter((step) => /SCAN (deliveries|attempts|api_requests)/.test(step))).toEqual([]);
  });
});
