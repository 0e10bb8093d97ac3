import { describe, expect, it } from 'vitest';
import { PAGE_SIZE, PagedList } from '../../src/dashboard/paged-list.ts';

interface Thing {
  readonly id: string;
  readonly text?: string;
}

/** `t_00007`: IDs sort by number. */
const idOf = (number: number) => `t_${String(number).padStart(5, '0')}`;
const thing = (number: number, text = ''): Thing => ({ id: idOf(number), text });
/** The items from `newest` down to `oldest`. */
const things = (newest: number, oldest: number) =>
  Array.from({ length: newest - oldest + 1 }, (_, index) => thing(newest - index));

function pageOf(newest: number, oldest: number, hasMore = true) {
  return { data: things(newest, oldest), has_more: hasMore, end_cursor: idOf(oldest) };
}

function listOf(...pages: ReturnType<typeof pageOf>[]): PagedList<Thing> {
  const list = new PagedList<Thing>();
  for (const [index, page] of pages.entries()) {
    if (index === 0) list.reset(page);
    else list.append(list.nextCursor ?? '', page);
  }
  return list;
}

const idsOf = (list: PagedList<Thing>) =>
  Array.from({ length: list.length }, (_, index) => list.at(index)?.id);

describe('a paged list', () => {
  it('a paged list appends pages until the last one', () => {
    const list = listOf(pageOf(9, 7), pageOf(6, 5), pageOf(4, 4, false));
    expect(idsOf(list)).toEqual(things(9, 4).map(({ id }) => id));
    expect(list.nextCursor).toBeNull();
    expect(list.at(6)).toBeUndefined();
  });

  it('a paged list ignores a page with an outdated cursor', () => {
    const list = listOf(pageOf(9, 7));
    list.append(idOf(5), pageOf(4, 3));
    expect(list.length).toBe(3);
  });

  it('a paged list inserts items in ID order', () => {
    const list = listOf(pageOf(9, 8), pageOf(6, 5));
    list.upsert(thing(10), true);
    list.upsert(thing(7), true);
    expect(idsOf(list)).toEqual(things(10, 5).map(({ id }) => id));
  });

  it('a paged list updates an item in place, including the last one of a page', () => {
    const list = listOf(pageOf(9, 8), pageOf(7, 6));
    for (const number of [9, 8, 6]) list.upsert(thing(number, 'new'), true);
    expect(list.length).toBe(4);
    expect([0, 1, 2, 3].map((index) => list.at(index)?.text)).toEqual(['new', 'new', '', 'new']);
  });

  it('a paged list removes items that no longer match and keeps undecided ones', () => {
    const list = listOf(pageOf(9, 7));
    list.upsert(thing(8), false);
    list.upsert(thing(7, 'new'), null);
    list.upsert(thing(10), null);
    expect(idsOf(list)).toEqual([idOf(9), idOf(7)]);
    expect(list.at(1)?.text).toBe('new');
  });

  it('a paged list ignores new items older than the loaded part', () => {
    const list = listOf(pageOf(9, 7));
    list.upsert(thing(3), true);
    expect([list.length, list.has(idOf(3))]).toEqual([3, null]);
  });

  it('a paged list appends the oldest item to a completely loaded list', () => {
    const list = listOf(pageOf(9, 7, false));
    list.upsert(thing(3), true);
    expect(list.at(3)?.id).toBe(idOf(3));
  });

  it('a paged list accepts its first item', () => {
    const list = new PagedList<Thing>();
    list.reset({ data: [], has_more: false, end_cursor: null });
    list.upsert(thing(1), true);
    expect(idsOf(list)).toEqual([idOf(1)]);
  });
});

describe('items far from the visible range', () => {
  const pages = Array.from({ length: 30 }, (_, page) => {
    const newest = 9_999 - page * PAGE_SIZE;
    return pageOf(newest, newest - PAGE_SIZE + 1);
  });

  it('items far from the visible range are removed below', () => {
    const list = listOf(...pages);
    list.unloadOutside(0, 20);
    expect(list.length).toBe(1_100);
    expect(list.nextCursor).toBe(list.at(1_099)?.id);
    list.append(list.nextCursor ?? '', pageOf(8_899, 8_800));
    expect(list.length).toBe(1_200);
  });

  it('items far from the visible range keep their place above and can be reloaded', () => {
    const list = listOf(...pages);
    list.unloadOutside(2_500, 2_520);
    expect([list.length, list.at(0), list.at(1_399), list.at(1_400)?.id]).toEqual([
      3_000,
      undefined,
      undefined,
      idOf(8_599),
    ]);
    expect(list.findUnloadedSegment(1_390, 1_410)).toEqual({ after: idOf(8_700), end: idOf(8_600) });
    list.reload(idOf(8_700), things(8_699, 8_600));
    expect(list.at(1_399)?.id).toBe(idOf(8_600));
    expect(list.findUnloadedSegment(1_390, 1_410)).toBeNull();
  });

  it('items far from the visible range do not accumulate when new items arrive at the top', () => {
    const list = listOf(pageOf(9, 0));
    for (let number = 10; number < 10_000; number++) {
      list.upsert(thing(number), true);
      list.unloadOutside(0, 20);
    }
    expect(list.length).toBeLessThan(1_400);
    expect(idsOf(list)).toEqual(things(9_999, 10_000 - list.length).map(({ id }) => id));
    expect(list.nextCursor).toBe(list.at(list.length - 1)?.id);
  });
});
