import { describe, expect, it, vi } from 'vitest';
import { readPage } from '../../src/store/row-page.ts';
import { ANY_DELIVERY, insertDeliveries, NOW, openStore } from './rows.ts';

// Each reading of the time is past the end of the slice, so a slice is one row.
vi.mock('../../src/timers.ts', async (load) => {
  let now = 0;
  return { ...(await load<object>()), monotonic: () => (now += 1_000) };
});

describe('readPage', () => {
  const page = (rows: number[], beforeSeq: number | null = null) => {
    const bounds: number[] = [];
    const { hasMore, rows: pageRows } = readPage({ limit: 2, beforeSeq }, (before, limit) => {
      bounds.push(before, limit);
      return rows;
    });
    return { rows: pageRows, hasMore, bounds };
  };

  it('an extra row sets hasMore and is left out of the page [§2.list.has-more]', () => {
    expect(page([3, 2, 1])).toMatchObject({ rows: [3, 2], hasMore: true });
    expect(page([2, 1])).toMatchObject({ rows: [2, 1], hasMore: false });
    expect(page([])).toMatchObject({ rows: [], hasMore: false });
  });

  it('a page starts below the cursor, or above every row without a cursor', () => {
    expect(page([], 7).bounds).toEqual([7, 3]);
    expect(page([]).bounds).toEqual([Number.MAX_SAFE_INTEGER, 3]);
  });
});

describe('Scan.findPage', () => {
  it('a scan yields after a few milliseconds and continues at the same row', async () => {
    const store = openStore();
    const { deliveries } = insertDeliveries(store, [NOW, NOW, NOW, NOW]);
    const { rows, hasMore } = await store.deliveryQueries.list(
      { ...ANY_DELIVERY, text: 'shipped' },
      { limit: 3, beforeSeq: null },
    );
    expect([rows.map(({ seq }) => seq), hasMore]).toEqual([deliveries.toReversed().slice(0, 3), true]);
  });

  it('other writes run between the slices of a scan, and the page reflects them', async () => {
    const store = openStore();
    const { deliveries, webhook } = insertDeliveries(store, [NOW, NOW]);
    const page = { limit: 9, beforeSeq: null };
    const listing = store.deliveryQueries.list({ ...ANY_DELIVERY, status: 'pending' }, page);
    store.writeNow(() => store.cancelDeliveries(webhook, NOW));
    const { rows } = await listing;
    expect(rows.map(({ seq }) => seq)).toEqual(deliveries.slice(1));
  });

  it('a scan rejects when the store is closed', async () => {
    const store = openStore();
    insertDeliveries(store, [NOW, NOW]);
    const listing = store.deliveryQueries.list(
      { ...ANY_DELIVERY, text: 'nowhere' },
      { limit: 9, beforeSeq: null },
    );
    store.close();
    await expect(listing).rejects.toMatchObject({ code: 'storage_unavailable' });
  });
});
