/** The items of a live list: pages, live updates, and changes that wait while the list is held. */
import { expect, it } from 'vitest';
import { LiveItems, PAGE_SIZE } from '../../src/dashboard/live-items.ts';

interface Item {
  readonly id: string;
  readonly text: string;
}

const toItem = (number: number, text = ''): Item => ({ id: `del_${String(number).padStart(5, '0')}`, text });
const numbersOf = ({ items }: LiveItems<Item>) => items.map(({ id }) => Number(id.slice(4)));
const toNewest = (count: number) => Array.from({ length: count }, (_, index) => count - index);

/** A list of items with the numbers from `count` down to 1, and its page requests. */
async function load(count: number) {
  const stored = toNewest(count).map((number) => toItem(number));
  const requests: unknown[] = [];
  const list = new LiveItems<Item>({
    fetchPage: async (page) => {
      requests.push(page);
      const rest = stored.filter(({ id }) => page.starting_after === undefined || id < page.starting_after);
      const data = rest.slice(0, page.limit);
      return { data, has_more: rest.length > page.limit, end_cursor: data.at(-1)?.id ?? null };
    },
    onChange: () => {},
  });
  await list.load();
  return { list, stored, requests };
}

it('a live list shows its newest page and loads older ones on request', async () => {
  const { list, requests } = await load(PAGE_SIZE + 5);
  expect(numbersOf(list)).toEqual(toNewest(PAGE_SIZE + 5).slice(0, PAGE_SIZE));
  expect(list.hasOlder).toBe(true);
  await list.loadOlder();
  expect(numbersOf(list)).toEqual(toNewest(PAGE_SIZE + 5));
  expect(list.hasOlder).toBe(false);
  expect(requests).toEqual([{ limit: PAGE_SIZE }, { limit: PAGE_SIZE, starting_after: toItem(6).id }]);
});

it('a live list inserts new items by ID, replaces those that it shows, and removes those that no longer match', async () => {
  const { list } = await load(3);
  list.applyUpdates([
    { item: toItem(5), matches: true },
    { item: toItem(4), matches: true },
    { item: toItem(2, 'changed'), matches: true },
    { item: toItem(1), matches: false },
    { item: toItem(9), matches: false },
  ]);
  expect(numbersOf(list)).toEqual([5, 4, 3, 2]);
  expect(list.items.at(-1)?.text).toBe('changed');
});

it('an item whose match is unknown changes only if the list shows it', async () => {
  const { list } = await load(2);
  list.applyUpdates([
    { item: toItem(2, 'changed'), matches: null },
    { item: toItem(3), matches: null },
    { item: toItem(4), matches: true },
    { item: toItem(4, 'changed'), matches: null },
  ]);
  expect(list.items).toEqual([toItem(4, 'changed'), toItem(2, 'changed'), toItem(1)]);
});

it('a live list keeps as many items as it has loaded, and does not show items of older pages', async () => {
  const { list } = await load(PAGE_SIZE);
  list.applyUpdates([{ item: toItem(PAGE_SIZE + 1), matches: true }]);
  expect(list.items.length).toBe(PAGE_SIZE);
  expect(list.hasOlder).toBe(true);
  list.applyUpdates([{ item: toItem(1, 'changed'), matches: true }]);
  expect(numbersOf(list).at(-1)).toBe(2);
});

it('a held list changes its items, but adds and removes none until it is released', async () => {
  const { list } = await load(3);
  list.setHeld(true);
  list.applyUpdates([
    { item: toItem(4), matches: true },
    { item: toItem(5), matches: true },
    { item: toItem(3, 'changed'), matches: true },
    { item: toItem(2, 'changed'), matches: false },
  ]);
  list.applyUpdates([
    { item: toItem(5), matches: false },
    { item: toItem(4, 'changed'), matches: null },
  ]);
  expect(list.items).toEqual([toItem(3, 'changed'), toItem(2, 'changed'), toItem(1)]);
  expect(list.newCount).toBe(1);
  list.setHeld(false);
  expect(list.items).toEqual([toItem(4, 'changed'), toItem(3, 'changed'), toItem(1)]);
  expect(list.newCount).toBe(0);
});

it('an item that matches again while the list is held is not removed', async () => {
  const { list } = await load(2);
  list.setHeld(true);
  list.applyUpdates([{ item: toItem(2), matches: false }]);
  list.applyUpdates([{ item: toItem(2), matches: true }]);
  list.setHeld(false);
  expect(numbersOf(list)).toEqual([2, 1]);
});

it('showWaiting shows the new items of a list that stays held', async () => {
  const { list } = await load(1);
  list.setHeld(true);
  list.applyUpdates([{ item: toItem(2), matches: true }]);
  list.showWaiting();
  list.applyUpdates([{ item: toItem(3), matches: true }]);
  expect(numbersOf(list)).toEqual([2, 1]);
  expect(list.newCount).toBe(1);
});

it('an update that arrives while a page loads is newer than the page', async () => {
  const { list } = await load(2);
  const loading = list.load();
  list.applyUpdates([
    { item: toItem(3), matches: true },
    { item: toItem(2, 'changed'), matches: true },
  ]);
  await loading;
  expect(list.items).toEqual([toItem(3), toItem(2, 'changed'), toItem(1)]);
});

it('a failed request is repeated by retry, and a response to an earlier request is ignored', async () => {
  const calls: { resolve: (items: Item[]) => void; reject: (error: Error) => void }[] = [];
  const list = new LiveItems<Item>({
    fetchPage: async () => {
      const data = await new Promise<Item[]>((resolve, reject) => calls.push({ resolve, reject }));
      return { data, has_more: false, end_cursor: null };
    },
    onChange: () => {},
  });
  const first = list.load();
  calls[0]?.reject(new Error('no response'));
  await first;
  expect(list).toMatchObject({ error: 'Error: no response', isLoaded: false, isLoading: false });
  list.retry();
  const last = list.load();
  calls[2]?.resolve([toItem(3)]);
  await last;
  calls[1]?.resolve([toItem(2)]);
  await Promise.resolve();
  expect(numbersOf(list)).toEqual([3]);
  expect(list.error).toBeNull();
});

it('a list whose items have all been removed loads the next ones', async () => {
  const { list, stored, requests } = await load(PAGE_SIZE + 1);
  const removed = stored.splice(0, PAGE_SIZE);
  list.applyUpdates(removed.map((item) => ({ item, matches: false })));
  expect(requests.length).toBe(2);
  await expect.poll(() => numbersOf(list)).toEqual([1]);
});
