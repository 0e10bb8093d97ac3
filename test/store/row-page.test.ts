import { afterEach, describe, expect, it, vi } from 'vitest';
import { readPage, toListBody, toPageRequest } from '../../src/store/row-page.ts';
import { insertDeliveries, NOW, openStore } from './rows.ts';

/** Milliseconds between two readings of the time. By default, each is past the end of the slice, so a slice is one row. */
let step = 1_000;
let now = 0;
vi.mock('../../src/timers.ts', async (load) => ({
  ...(await load<object>()),
  monotonic: () => (now += step),
}));
afterEach(() => {
  step = 1_000;
});

describe('toPageRequest', () => {
  const findSeq = (id: string) => (id === 'evt_1' ? 7 : undefined);

  it('a page starts after the row of the cursor, and the first page has no cursor', () => {
    expect(toPageRequest({ limit: 5 }, findSeq)).toEqual({ limit: 5, beforeSeq: null });
    expect(toPageRequest({ limit: 5, starting_after: 'evt_1' }, findSeq)).toEqual({ limit: 5, beforeSeq: 7 });
  });

  it('an unknown cursor is refused [list.order]', () => {
    expect(() => toPageRequest({ limit: 5, starting_after: 'evt_2' }, findSeq)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: 'starting_after is not the end_cursor of a page of this list.',
      }),
    );
  });
});

describe('toListBody', () => {
  it('the cursor is the ID of the last item, or null for an empty page [§2.list.has-more]', () => {
    const toItem = ({ id }: { id: string }) => `item ${id}`;
    expect(toListBody({ rows: [{ id: 'b' }, { id: 'a' }], hasMore: true }, toItem)).toEqual({
      ...{ data: ['item b', 'item a'], has_more: true, end_cursor: 'a' },
    });
    expect(toListBody({ rows: [], hasMore: false }, toItem)).toEqual({
      data: [],
      has_more: false,
      end_cursor: null,
    });
  });
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
      { text: 'shipped' },
      { limit: 3, beforeSeq: null },
    );
    expect([rows.map(({ seq }) => seq), hasMore]).toEqual([deliveries.toReversed().slice(0, 3), true]);
  });

  it('a page with exactly as many rows as match has no next page', async () => {
    const store = openStore();
    const { deliveries } = insertDeliveries(store, [NOW, NOW]);
    for (const filter of [{ text: 'shipped' }, {}]) {
      const page = await store.deliveryQueries.list(filter, { limit: 2, beforeSeq: null });
      expect([page.rows.map(({ seq }) => seq), page.hasMore]).toEqual([deliveries.toReversed(), false]);
    }
  });

  it('a scan that is short enough does not yield', async () => {
    step = 0;
    const store = openStore();
    const { deliveries } = insertDeliveries(store, [NOW, NOW]);
    const listing = store.deliveryQueries.list({}, { limit: 9, beforeSeq: null });
    store.close();
    expect((await listing).rows).toHaveLength(deliveries.length);
  });

  it('other writes run between the slices of a scan, and the page reflects them', async () => {
    const store = openStore();
    const { deliveries, webhook } = insertDeliveries(store, [NOW, NOW]);
    const page = { limit: 9, beforeSeq: null };
    const listing = store.deliveryQueries.list({ status: 'pending' }, page);
    store.writeNow(() => store.cancelDeliveries(webhook, NOW));
    const { rows } = await listing;
    expect(rows.map(({ seq }) => seq)).toEqual(deliveries.slice(1));
  });

  it('a scan rejects when the store is closed', async () => {
    const store = openStore();
    insertDeliveries(store, [NOW, NOW]);
    const listing = store.deliveryQueries.list({ text: 'nowhere' }, { limit: 9, beforeSeq: null });
    store.close();
    await expect(listing).rejects.toMatchObject({ code: 'storage_unavailable' });
  });
});
