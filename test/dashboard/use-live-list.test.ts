/** The hook of a live list, in a component without elements, which needs no DOM. */
import { type ComponentType, h, render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Page } from '../../src/contract/resources.ts';
import type { StreamItem } from '../../src/contract/stream-schemas.ts';
import type { PageRequest } from '../../src/dashboard/live-items.ts';
import type { LiveList } from '../../src/dashboard/use-live-list.ts';
import { loadPage } from './fake-browser.ts';

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
const change = (sequence: number) => ({ type: 'delivery', sequence }) as StreamItem;
const reset: StreamItem = { type: 'reset', sequence: 0 };

const ROW_HEIGHT = 20;

afterEach(() => vi.unstubAllGlobals());

/** A page that shows one list at a time. */
async function openPage() {
  const { back, receive, setConnected } = await loadPage();
  const { navigate } = await import('../../src/dashboard/router.ts');
  const { status } = await import('../../src/dashboard/session.ts');
  const { useLiveList } = await import('../../src/dashboard/use-live-list.ts');
  const calls: PageCall[] = [];
  const received: [key: string | null, sequences: number[]][] = [];

  function showList(key: string | null) {
    const root = {} as HTMLElement;
    const container = {
      scrollTop: 0,
      /** Not further than to the last row. */
      scrollTo: ({ top }: { readonly top: number }) => {
        container.scrollTop = Math.min(top, ROW_HEIGHT * view().list.items.length);
      },
    };
    let current: LiveList<Item> | undefined;
    const fetchPage = (key: string | null) => (page: PageRequest) =>
      new Promise<Page<Item>>((resolve, reject) => {
        calls.push({
          ...page,
          key,
          respond: (items, has_more = false) =>
            act(async () => resolve({ data: [...items], has_more, end_cursor: null })),
          fail: () => act(async () => reject(new Error('no response'))),
        });
      });
    const View: ComponentType<{ readonly listKey: string | null }> = ({ listKey }) => {
      current = useLiveList<Item>({
        key: listKey,
        fetchPage: fetchPage(listKey),
        onItems: (items, list) => {
          received.push([listKey, items.map(({ sequence }) => sequence)]);
          list.applyUpdates(
            items.map(({ sequence }) => ({ item: toItems(sequence)[0] as Item, matches: true })),
          );
        },
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
        for (let loaded = 0; loaded < count; loaded += 200) {
          if (loaded > 0) void view().list.loadOlder();
          await calls.at(-1)?.respond(toNewest(count).slice(loaded, loaded + 200), loaded + 200 < count);
        }
      },
      close: () => act(() => render(null, root)),
      ids: () => view().list.items.map(({ id }) => Number(id)),
      error: () => view().list.error,
      newCount: () => view().list.newCount,
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
    received,
    receive,
    navigate: () => navigate({ section: 'webhooks' }),
    back,
    setConnected,
    restartEmulator: () =>
      act(() => {
        status.value = { started_at: '2026-11-20T12:00:00.000Z' } as NonNullable<typeof status.value>;
      }),
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

  it('a list is loaded again when the emulator has been restarted', async () => {
    const { showList, calls, restartEmulator } = await openPage();
    const list = showList('ws_1');
    await calls[0]?.respond(toItems(2, 1));
    restartEmulator();
    await calls[1]?.respond(toItems(1));
    expect(list.ids()).toEqual([1]);
  });

  it('a list whose request has failed repeats it when the connection is restored', async () => {
    const { showList, calls, setConnected } = await openPage();
    const list = showList('ws_1');
    await calls[0]?.fail();
    setConnected(false);
    expect(calls.length).toBe(1);
    setConnected(true);
    await calls[1]?.respond(toItems(1));
    expect([list.ids(), list.error()]).toEqual([[1], null]);
    setConnected(false);
    setConnected(true);
    expect(calls.length).toBe(2);
  });

  it('a closed list ignores its response and the live stream', async () => {
    const { showList, calls, received, receive } = await openPage();
    const list = showList('ws_1');
    list.close();
    await calls[0]?.respond(toItems(1));
    receive(change(2));
    expect([list.ids(), received]).toEqual([[], []]);
  });
});

describe('the changes of a live list', () => {
  it('a change is applied to the list of the workspace that is shown now', async () => {
    const { showList, calls, received, receive } = await openPage();
    const list = showList('ws_1');
    await calls[0]?.respond(toItems(1));
    receive(change(2));
    expect(list.ids()).toEqual([2, 1]);
    list.show('ws_2');
    receive(change(3));
    await calls[1]?.respond([]);
    expect(list.ids()).toEqual([3]);
    expect(received).toEqual([
      ['ws_1', [2]],
      ['ws_2', [3]],
    ]);
  });

  it('a reset loads the list again, and only the changes after it are applied', async () => {
    const { showList, calls, received, receive } = await openPage();
    const list = showList('ws_1');
    await calls[0]?.respond(toItems(2, 1));
    receive(change(3), reset, change(4), reset, change(5));
    expect(received).toEqual([['ws_1', [5]]]);
    await calls[1]?.respond(toItems(4));
    expect(list.ids()).toEqual([5, 4]);
    expect(calls.length).toBe(2);
  });

  it('a reset loads as many items as the list shows', async () => {
    const { showList, calls, receive } = await openPage();
    await showList('ws_1').fill(450);
    receive(reset);
    expect(calls.at(-1)?.limit).toBe(450);
  });

  it('a reset loads nothing before the key is known', async () => {
    const { showList, calls, receive } = await openPage();
    showList(null);
    receive(reset);
    expect(calls).toEqual([]);
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
    const { list, receive } = await openLoadedList();
    list.handle('PointerEnter');
    list.handle('FocusIn');
    list.scroll(1);
    receive(change(2));
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
      receive(change(before.length + 1));
      expect(list.ids()).toEqual(before);
      list.handle(release);
      expect(list.ids()).toEqual([before.length + 1, ...before]);
    }
  });

  it('the button for new rows shows them and scrolls to the top, where the list continues', async () => {
    const { list, receive } = await openLoadedList();
    list.scroll(300);
    receive(change(2));
    list.showNew();
    expect([list.ids(), list.scrollTop()]).toEqual([[2, 1], 0]);
    receive(change(3));
    expect(list.ids()).toEqual([3, 2, 1]);
  });

  it('the button for new rows shows them while the user points at the rows, which then do not move', async () => {
    const { list, receive } = await openLoadedList();
    list.handle('PointerEnter');
    receive(change(2));
    list.showNew();
    receive(change(3));
    expect([list.ids(), list.newCount()]).toEqual([[2, 1], 1]);
  });

  it('another list starts at the top and moves', async () => {
    const { list, calls, receive } = await openLoadedList();
    list.scroll(300);
    list.show('ws_2');
    expect(list.scrollTop()).toBe(300);
    await calls[1]?.respond(toItems(5));
    expect(list.scrollTop()).toBe(0);
    receive(change(6));
    expect(list.ids()).toEqual([6, 5]);
  });

  it('a list that is loaded again keeps its position', async () => {
    const { list, calls, receive } = await openLoadedList();
    list.scroll(300);
    receive(reset);
    await calls[1]?.respond(toItems(1));
    expect(list.scrollTop()).toBe(300);
  });

  it('Back shows as many rows as before, at the same position, where they do not move', async () => {
    const { showList, calls, navigate, back, receive } = await openPage();
    const before = showList('ws_1');
    await before.fill(450);
    before.scroll(3_000);
    navigate();
    before.close();
    await back();
    const after = showList('ws_1');
    expect(calls.at(-1)?.limit).toBe(450);
    expect(after.scrollTop()).toBe(0);
    await calls.at(-1)?.respond(toNewest(450));
    expect(after.scrollTop()).toBe(3_000);
    receive(change(451));
    expect(after.newCount()).toBe(1);
    after.show('ws_2');
    await calls.at(-1)?.respond(toNewest(200));
    expect(after.scrollTop()).toBe(0);
  });

  it('Back to a list that is empty now shows new rows at once', async () => {
    const { showList, calls, navigate, back, receive } = await openPage();
    const before = showList('ws_1');
    await before.fill(200);
    before.scroll(3_000);
    navigate();
    before.close();
    await back();
    const after = showList('ws_1');
    await calls.at(-1)?.respond([]);
    receive(change(1));
    expect(after.ids()).toEqual([1]);
  });
});
