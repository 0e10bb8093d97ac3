/** The hook of a live list, in a component without elements, which needs no DOM. */
import { type ComponentType, h, render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LiveList, PageRequest } from '../../src/dashboard/use-live-list.ts';
import type { Page } from '../../src/resources/define-resource.ts';
import { loadPage, runAll } from './fake-browser.ts';

interface Item {
  readonly id: string;
}

interface PageCall extends PageRequest {
  readonly key: string | null;
  readonly respond: (items: readonly Item[], hasMore?: boolean) => Promise<void>;
  readonly fail: () => Promise<void>;
}

const toItems = (...numbers: readonly number[]) =>
  numbers.map((number) => ({ id: String(number).padStart(5, '0') }));
const toNewest = (count: number) => toItems(...Array.from({ length: count }, (_, index) => count - index));

const ROW_HEIGHT = 20;

const POLL_MS = 1_000;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A page that shows one list at a time. */
async function openPage() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  const { back, pass, setConnected } = await loadPage();
  const { navigate } = await import('../../src/dashboard/router.ts');
  const { useLiveList } = await import('../../src/dashboard/use-live-list.ts');
  const calls: PageCall[] = [];

  function showList(key: string | null) {
    const root = {} as HTMLElement;
    const container = {
      scrollTop: 0,
      /** Not further than to the last row. */
      scrollTo: ({ top }: { readonly top: number }) => {
        container.scrollTop = Math.min(top, ROW_HEIGHT * view().items.length);
      },
    };
    let current: LiveList<Item> | undefined;
    const fetchPage = (key: string | null) => (page: PageRequest) =>
      new Promise<Page<Item>>((resolve, reject) => {
        calls.push({
          ...page,
          key,
          respond: (items, has_more = false) =>
            runAll(() => resolve({ data: [...items], has_more, end_cursor: null })),
          fail: () => runAll(() => reject(new Error('no response'))),
        });
      });
    const View: ComponentType<{ readonly listKey: string | null }> = ({ listKey }) => {
      current = useLiveList<Item>({
        key: listKey,
        fetchPage: fetchPage(listKey),
      });
      current.scrollContainer.current = container as unknown as HTMLDivElement;
      return null;
    };
    const show = (listKey: string | null) => act(() => render(h(View, { listKey }), root));
    void show(key);
    const view = () => current as LiveList<Item>;
    const handle = (name: 'PointerEnter' | 'PointerLeave' | 'FocusIn' | 'FocusOut') =>
      act(() => (view().holdHandlers as Record<string, () => void>)[`on${name}`]?.());
    return {
      show,
      handle,
      /** Loads so many rows, a page at a time. */
      fill: async (count: number) => {
        for (let loaded = 200; ; loaded += 200) {
          await calls.at(-1)?.respond(toNewest(count).slice(0, loaded), loaded < count);
          if (loaded >= count) break;
          await act(() => view().loadOlder?.());
        }
      },
      older: () => act(() => view().loadOlder?.()),
      close: () => act(() => render(null, root)),
      ids: () => view().items.map(({ id }) => Number(id)),
      error: () => view().error,
      newCount: () => view().newCount,
      showNew: () => act(() => view().showNew()),
      scrollTop: () => container.scrollTop,
      scroll: (top: number) =>
        act(() => {
          container.scrollTop = top;
          view().onScroll();
        }),
    };
  }
  return {
    showList,
    calls,
    pass,
    /** The list changes to these items. */
    change: async (...numbers: readonly number[]) => {
      await pass(POLL_MS);
      await calls.at(-1)?.respond(toItems(...numbers));
    },
    navigate: () => navigate({ section: 'webhooks' }),
    back,
    setConnected,
  };
}

describe('a live list', () => {
  it('a list requests its first page once its key is known', async () => {
    const { showList, calls } = await openPage();
    const list = showList(null);
    expect(calls).toEqual([]);
    list.show('ws_1');
    expect(calls).toMatchObject([{ key: 'ws_1', limit: 200 }]);
    await calls[0]?.respond(toItems(2, 1));
    expect(list.ids()).toEqual([2, 1]);
    list.show('ws_1');
    expect(calls.length).toBe(1);
  });

  it('the previous list stays visible until the first page of another workspace arrives', async () => {
    const { showList, calls } = await openPage();
    const list = showList('ws_1');
    await calls[0]?.respond(toItems(1));
    list.show('ws_2');
    expect(list.ids()).toEqual([1]);
    await calls[1]?.respond(toItems(8, 7));
    expect(list.ids()).toEqual([8, 7]);
  });

  it('the error of another list replaces the previous list', async () => {
    const { showList, calls } = await openPage();
    const list = showList('ws_1');
    await calls[0]?.respond(toItems(1));
    list.show('ws_2');
    await calls[1]?.fail();
    expect([list.ids(), list.error()]).toEqual([[], 'Error: no response']);
  });

  it('a late response or error for a workspace that was left changes nothing', async () => {
    const { showList, calls } = await openPage();
    const list = showList('ws_1');
    list.show('ws_2');
    list.show('ws_3');
    await calls[2]?.respond(toItems(3));
    await calls[0]?.respond(toItems(1));
    await calls[1]?.fail();
    expect([list.ids(), list.error()]).toEqual([[3], null]);
    list.show('ws_1');
    expect(calls[3]?.key).toBe('ws_1');
    expect(list.ids()).toEqual([3]);
  });

  it('a response that arrives before another list is shown does not show the list that was left', async () => {
    const { showList, calls } = await openPage();
    const list = showList('ws_1');
    list.show('ws_2');
    await calls[0]?.respond(toItems(1));
    expect(list.ids()).toEqual([]);
  });

  it('a list whose request has failed repeats it when the connection is restored', async () => {
    const { showList, calls, setConnected } = await openPage();
    const list = showList('ws_1');
    await calls[0]?.fail();
    await setConnected(false);
    expect(calls.length).toBe(1);
    await setConnected(true);
    await calls[1]?.respond(toItems(1));
    expect([list.ids(), list.error()]).toEqual([[1], null]);
  });
});

describe('the changes of a live list', () => {
  it('a list that shows more items than one request loads requests several pages', async () => {
    const { showList, calls, pass } = await openPage();
    const list = showList('ws_1');
    await list.fill(1_000);
    const items = toNewest(1_200);
    await list.older();
    await calls.at(-1)?.respond(items.slice(0, 1_000), true);
    expect(calls.at(-1)).toMatchObject({ limit: 200, starting_after: items[999]?.id });
    await calls.at(-1)?.respond(items.slice(1_000));
    expect(list.ids()).toHaveLength(1_200);
    const { length } = calls;
    await pass(POLL_MS);
    expect(calls.length).toBe(length + 1);
  });

  it('a list that is held shows older items', async () => {
    const { showList, calls } = await openPage();
    const list = showList('ws_1');
    const items = toNewest(301);
    await calls[0]?.respond(items.slice(1, 201), true);
    list.handle('PointerEnter');
    await list.older();
    await calls.at(-1)?.respond(items);
    expect([list.ids()[0], list.ids().length, list.newCount()]).toEqual([300, 300, 1]);
  });
});

describe('the rows of a live list', () => {
  async function openLoadedList() {
    const page = await openPage();
    const list = page.showList('ws_1');
    await page.calls[0]?.respond(toItems(1));
    return { ...page, list };
  }

  it('rows do not move while the user points at them, has the focus on one, or has scrolled down', async () => {
    const { list, change } = await openLoadedList();
    list.handle('PointerEnter');
    list.handle('FocusIn');
    list.scroll(1);
    await change(2, 1);
    list.handle('PointerLeave');
    list.handle('FocusOut');
    expect([list.ids(), list.newCount()]).toEqual([[1], 1]);
    list.scroll(0);
    expect([list.ids(), list.newCount()]).toEqual([[2, 1], 0]);
    for (const [hold, release] of [
      ['PointerEnter', 'PointerLeave'],
      ['FocusIn', 'FocusOut'],
    ] as const) {
      const before = list.ids();
      list.handle(hold);
      await change(before.length + 1, ...before);
      expect(list.ids()).toEqual(before);
      list.handle(release);
      expect(list.ids()).toEqual([before.length + 1, ...before]);
    }
  });

  it('the first row appears while the user points at the empty list', async () => {
    const { showList, calls, change } = await openPage();
    const list = showList('ws_1');
    await calls[0]?.respond([]);
    list.handle('PointerEnter');
    await change(1);
    expect([list.ids(), list.newCount()]).toEqual([[1], 0]);
    await change(2, 1);
    expect([list.ids(), list.newCount()]).toEqual([[1], 1]);
  });

  it('the button for new rows shows them and scrolls to the top, where the list continues', async () => {
    const { list, change } = await openLoadedList();
    list.scroll(300);
    await change(2, 1);
    list.showNew();
    expect([list.ids(), list.scrollTop()]).toEqual([[2, 1], 0]);
    await change(3, 2, 1);
    expect(list.ids()).toEqual([3, 2, 1]);
  });

  it('the button for new rows shows them while the user points at the rows, which then do not move', async () => {
    const { list, change } = await openLoadedList();
    list.handle('PointerEnter');
    await change(2, 1);
    list.showNew();
    await change(3, 2, 1);
    expect([list.ids(), list.newCount()]).toEqual([[2, 1], 1]);
  });

  it('another list starts at the top and moves', async () => {
    const { list, calls, change } = await openLoadedList();
    list.scroll(300);
    list.show('ws_2');
    expect(list.scrollTop()).toBe(300);
    await calls[1]?.respond(toItems(5));
    expect(list.scrollTop()).toBe(0);
    await change(6, 5);
    expect(list.ids()).toEqual([6, 5]);
  });

  it('Back shows as many rows as before, at the same position, where they do not move', async () => {
    const { showList, calls, navigate, back, change } = await openPage();
    const before = showList('ws_1');
    await before.fill(450);
    before.scroll(3_000);
    navigate();
    before.close();
    await back();
    const after = showList('ws_1');
    expect(calls.at(-1)?.limit).toBe(600);
    expect(after.scrollTop()).toBe(0);
    await calls.at(-1)?.respond(toNewest(450));
    expect(after.scrollTop()).toBe(3_000);
    await change(...Array.from({ length: 451 }, (_, index) => 451 - index));
    expect(after.newCount()).toBe(1);
    after.show('ws_2');
    await calls.at(-1)?.respond(toNewest(200));
    expect(after.scrollTop()).toBe(0);
  });

  it('Back to a list that is empty now shows new rows at once', async () => {
    const { showList, calls, navigate, back, change } = await openPage();
    const before = showList('ws_1');
    await before.fill(200);
    before.scroll(3_000);
    navigate();
    before.close();
    await back();
    const after = showList('ws_1');
    await calls.at(-1)?.respond([]);
    await change(1);
    expect(after.ids()).toEqual([1]);
  });
});
