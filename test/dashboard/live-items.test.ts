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

/** A list of items with the numbers from `count` down to 1, its page requests, and how often it has changed. */
async function load(count: number) {
  const stored = toNewest(count).map((number) => toItem(number));
  const requests: unknown[] = [];
  let changes = 0;
  const list = new LiveItems<Item>({
    fetchPage: async (page) => {
      requests.push(page);
      const rest = stored.filter(({ id }) => page.starting_after === undefined || id < page.starting_after);
      const data = rest.slice(0, page.limit);
      return { data, has_more: rest.length > page.limit, end_cursor: data.at(-1)?.id ?? null };
    },
    onChange: () => changes++,
  });
  await list.load();
  return { list, stored, requests, countChanges: () => changes };
}

/** A list whose page requests wait for a response. */
function createWaitingList() {
  const calls: { resolve: (items: Item[], hasMore?: boolean) => void; reject: (error: Error) => void }[] = [];
  const list = new LiveItems<Item>({
    fetchPage: () =>
      new Promise((resolve, reject) => {
        const respond = (data: Item[], has_more = false) => resolve({ data, has_more, end_cursor: null });
        calls.push({ resolve: respond, reject });
      }),
    onChange: () => {},
  });
  return { list, calls };
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

it('a failed request is repeated by retry, which does nothing after a response', async () => {
  const { list, calls } = createWaitingList();
  expect(list).toMatchObject({ isLoaded: false, isLoading: false });
  const first = list.load();
  expect(list.isLoading).toBe(true);
  calls[0]?.reject(new Error('no response'));
  await first;
  expect(list).toMatchObject({ error: 'Error: no response', isLoaded: false, isLoading: false });
  list.retry();
  calls[1]?.resolve([toItem(2)]);
  await expect.poll(() => numbersOf(list)).toEqual([2]);
  expect(list).toMatchObject({ error: null, isLoaded: true, isLoading: false });
  list.retry();
  expect(calls.length).toBe(2);
});

it('responses to requests before the latest one, and to canceled ones, are ignored', async () => {
  const { list, calls } = createWaitingList();
  const loads = [list.load()];
  list.cancel();
  loads.push(list.load(), list.load(), list.load());
  calls[3]?.resolve([toItem(3)]);
  await loads[3];
  calls[0]?.resolve([toItem(4)]);
  calls[1]?.resolve([toItem(5)]);
  calls[2]?.reject(new Error('no response'));
  await Promise.all(loads);
  expect(numbersOf(list)).toEqual([3]);
  expect(list.error).toBeNull();
  const last = list.load();
  list.cancel();
  calls[4]?.resolve([toItem(6)]);
  await last;
  expect(numbersOf(list)).toEqual([3]);
});

it('the response to a canceled request is ignored also while the next one waits for its response', async () => {
  const { list, calls } = createWaitingList();
  const canceled = list.load();
  list.cancel();
  const next = list.load();
  calls[0]?.resolve([toItem(1)]);
  await canceled;
  expect(numbersOf(list)).toEqual([]);
  calls[1]?.resolve([toItem(2)]);
  await next;
  expect(numbersOf(list)).toEqual([2]);
});

it('a list that has lost an item does not show one of an older page, because those between them are missing', async () => {
  const { list } = await load(PAGE_SIZE + 5);
  list.applyUpdates([{ item: toItem(PAGE_SIZE + 5), matches: false }]);
  list.applyUpdates([{ item: toItem(1, 'changed'), matches: true }]);
  expect(numbersOf(list).at(-1)).toBe(6);
});

it('a list that is loading does not load the next items when all are removed, and shows new ones at once', async () => {
  const { list, calls } = createWaitingList();
  const first = list.load();
  calls[0]?.resolve([toItem(2)], true);
  await first;
  const second = list.load();
  list.applyUpdates([{ item: toItem(2), matches: false }]);
  expect(calls.length).toBe(2);
  list.applyUpdates([{ item: toItem(3), matches: true }]);
  expect(numbersOf(list)).toEqual([3]);
  calls[1]?.resolve([toItem(1)]);
  await second;
  expect(numbersOf(list)).toEqual([3, 1]);
});

it('a page replaces updates that arrived during an earlier request, and what a held list waits to show', async () => {
  const { list, stored } = await load(2);
  list.setHeld(true);
  const loading = list.load();
  list.applyUpdates([
    { item: toItem(3), matches: true },
    { item: toItem(2, 'changed'), matches: true },
  ]);
  await loading;
  expect(list.newCount).toBe(1);
  stored[0] = toItem(2, 'changed again');
  await list.load();
  expect(list.newCount).toBe(0);
  expect(list.items).toEqual([toItem(2, 'changed again'), toItem(1)]);
});

it('a change of the last item of a page does not remove it', async () => {
  const { list } = await load(PAGE_SIZE + 1);
  list.applyUpdates([{ item: toItem(2, 'changed'), matches: true }]);
  expect(list.items.length).toBe(PAGE_SIZE);
  expect(list.items.at(-1)).toEqual(toItem(2, 'changed'));
});

it('a list that has loaded more than a page keeps as many items, and a shorter one keeps a page', async () => {
  const { list } = await load(PAGE_SIZE + 5);
  const add = (number: number) => list.applyUpdates([{ item: toItem(number), matches: true }]);
  await list.load(PAGE_SIZE + 2);
  add(PAGE_SIZE + 6);
  expect(list.items.length).toBe(PAGE_SIZE + 2);
  await list.load(PAGE_SIZE + 2);
  await list.loadOlder();
  add(PAGE_SIZE + 7);
  expect(list.items.length).toBe(PAGE_SIZE + 5);
  await list.load(1);
  add(PAGE_SIZE + 8);
  expect(list.items.length).toBe(PAGE_SIZE);
});

it('a list requests at most 1,000 items at once, because the emulator rejects more, and keeps as many', async () => {
  const { list, requests } = await load(1_500);
  await list.load(1_200);
  expect(requests[1]).toEqual({ limit: 1_000 });
  list.applyUpdates([{ item: toItem(1_501), matches: true }]);
  expect([list.items.length, list.hasOlder]).toEqual([1_000, true]);
});

it('a list without older items shows new ones, whatever their ID, until it has a full page', async () => {
  const { list, stored, requests } = await load(0);
  stored.push(toItem(3));
  await list.loadOlder();
  expect(requests[1]).toStrictEqual({ limit: PAGE_SIZE });
  const added = toNewest(PAGE_SIZE).map((number) => ({ item: toItem(number), matches: true }));
  list.applyUpdates(added);
  expect(list.items.length).toBe(PAGE_SIZE);
  expect(list.hasOlder).toBe(false);
});

it('a held list does not count changed items of older pages, and stays held when it is held again', async () => {
  const { list } = await load(PAGE_SIZE + 5);
  list.setHeld(true);
  list.applyUpdates([
    { item: toItem(1, 'changed'), matches: true },
    { item: toItem(PAGE_SIZE + 6), matches: true },
  ]);
  list.setHeld(true);
  expect(list.newCount).toBe(1);
  expect(numbersOf(list)[0]).toBe(PAGE_SIZE + 5);
});

it('a list notifies of each change, and not when nothing waits', async () => {
  const { list, countChanges } = await load(1);
  list.setHeld(true);
  const before = countChanges();
  list.setHeld(false);
  list.showWaiting();
  expect(countChanges()).toBe(before);
  list.setHeld(true);
  list.applyUpdates([{ item: toItem(2), matches: true }]);
  expect(countChanges()).toBe(before + 1);
  list.setHeld(false);
  expect(countChanges()).toBe(before + 2);
  const loading = list.load();
  expect(countChanges()).toBe(before + 3);
  await loading;
  expect(countChanges()).toBe(before + 4);
});

it('a list whose items have all been removed loads the next ones', async () => {
  const { list, stored, requests } = await load(PAGE_SIZE + 1);
  const removed = stored.splice(0, PAGE_SIZE);
  list.applyUpdates(removed.map((item) => ({ item, matches: false })));
  expect(requests.length).toBe(2);
  await expect.poll(() => numbersOf(list)).toEqual([1]);
});
