import { describe, expect, it } from 'vitest';
import { toPage, upperBound } from '../../src/store/row-page.ts';

describe('toPage', () => {
  it('an extra row sets hasMore and is left out of the page [§2.list.has-more]', () => {
    expect(toPage([3, 2, 1], 2)).toEqual({ rows: [3, 2], hasMore: true });
    expect(toPage([2, 1], 2)).toEqual({ rows: [2, 1], hasMore: false });
    expect(toPage([], 2)).toEqual({ rows: [], hasMore: false });
  });

  it('upperBound is the cursor, or above every row without a cursor', () => {
    expect(upperBound({ limit: 1, beforeSeq: 7 })).toBe(7);
    expect(upperBound({ limit: 1, beforeSeq: null })).toBe(Number.MAX_SAFE_INTEGER);
  });
});
