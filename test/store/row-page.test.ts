import { describe, expect, it, onTestFinished } from 'vitest';
import { hasStatus, hasText, readPage, toListBody, toPageRequest } from '../../src/store/row-page.ts';
import { Database } from '../support/sqlite.ts';
import { insertDeliveries, NOW, openStore } from './rows.ts';

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

describe('listMatches', () => {
  it('a page has as many rows as its limit, and the next one continues after it', () => {
    const store = openStore();
    const { deliveries } = insertDeliveries(store, [NOW, NOW, NOW, NOW]);
    const list = (limit: number, beforeSeq: number | null) => {
      const { rows, hasMore } = store.deliveryQueries.list({ text: 'shipped' }, { limit, beforeSeq });
      return [rows.map(({ seq }) => seq), hasMore];
    };
    const newestFirst = deliveries.toReversed();
    expect(list(3, null)).toEqual([newestFirst.slice(0, 3), true]);
    expect(list(3, newestFirst[2] ?? 0)).toEqual([newestFirst.slice(3), false]);
    expect(list(4, null)).toEqual([newestFirst, false]);
  });
});

describe('hasText', () => {
  it.each([
    ['ORDER.shipped', 'r.s', 1],
    ['order', 'Orders', 0],
    ['Grüße', 'GRüß', 1],
    ['Grüße', 'GRÜß', 0],
    ['100 %', '0 %', 1],
    ['', '', 1],
  ])('%j has the text %j: %d, whatever the case of the letters A to Z', (column, text, expected) => {
    expect(evaluate(hasText('@column'), { column, text })).toBe(expected);
  });
});

describe('hasStatus', () => {
  it.each<[number, string | number, 0 | 1]>([
    [404, 404, 1],
    [404, 405, 0],
    [404, '4xx', 1],
    [404, '5xx', 0],
    [0, 'none', 1],
    [200, 'none', 0],
    [0, 0, 1],
  ])('the status %d has the value %s: %d', (status, filter, expected) => {
    expect(evaluate(hasStatus('CAST(@status AS INTEGER)', '@filter'), { status, filter })).toBe(expected);
  });
});

function evaluate(condition: string, values: Record<string, string | number>): number | undefined {
  const db = new Database(':memory:');
  onTestFinished(() => void db.close());
  return db.prepare<[object], number>(`SELECT ${condition}`).pluck().get(values);
}
