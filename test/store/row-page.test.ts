import { describe, expect, it } from 'vitest';
import { readPage, toListBody, toPageRequest } from '../../src/store/row-page.ts';

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
