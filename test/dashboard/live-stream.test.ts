/** The live stream of the page, in tabs that share one. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StreamItem } from '../../src/contract/stream-schemas.ts';
import { createBrowser, type FakeConnection, pass, settle, type Tab } from './fake-browser.ts';

vi.mock('../../src/timers.ts', () => import('../support/fakeable-timers.ts'));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  // Loading a page takes longer than the time between two batches.
  vi.advanceTimersByTime(BATCH_MS);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Time within which items are delivered after a pause, and between two batches. */
const FIRST_BATCH_MS = 100;
const BATCH_MS = 400;

/** A tab whose stream is open. */
async function openFollowingTab(newest = 10) {
  const browser = createBrowser();
  const tab = await browser.openTab();
  await latest(browser).open(newest);
  return { ...browser, tab, latest: () => latest(browser) };
}

function latest({ connections }: { readonly connections: readonly FakeConnection[] }): FakeConnection {
  return connections.at(-1) as FakeConnection;
}

/** Shows the tab again after time in which it was hidden. */
async function hideAndShow(tab: Tab): Promise<void> {
  tab.setHidden(true);
  await pass(1_000);
  tab.setHidden(false);
  await settle();
}

describe('the live stream of a tab', () => {
  it('a tab is connected when the stream sends its first message, which is not a change', async () => {
    const { connections, openTab } = createBrowser();
    const { isConnected, storeId, batches } = await openTab();
    expect([isConnected(), storeId()]).toEqual([null, null]);
    await connections[0]?.open(10);
    expect([isConnected(), storeId(), batches]).toEqual([true, 'store_1', []]);
  });

  it('a tab that has loaded data before the stream is open is notified that it may have missed changes', async () => {
    const { connections, openTab } = createBrowser();
    const { requestData, batches } = await openTab();
    requestData();
    await pass(1_000);
    await connections[0]?.lose();
    expect(batches).toEqual([]);
    await pass(250);
    await connections[1]?.open(10);
    expect(batches).toEqual([['gap']]);
  });

  it('items arrive in order, in a batch after a pause, and then in batches at intervals', async () => {
    const { tab, latest } = await openFollowingTab();
    await latest().send(11, 12);
    await pass(FIRST_BATCH_MS - 1);
    expect(tab.batches).toEqual([]);
    await latest().send(13);
    await pass(1);
    expect(tab.batches).toEqual([[11, 12, 13]]);
    await latest().send(14);
    await pass(BATCH_MS - 1);
    expect(tab.batches.length).toBe(1);
    await latest().send(15);
    await pass(1);
    expect(tab.batches.slice(1)).toEqual([[14, 15]]);
    await pass(BATCH_MS - FIRST_BATCH_MS);
    await latest().send(16);
    await pass(FIRST_BATCH_MS);
    expect(tab.batches.slice(2)).toEqual([[16]]);
  });

  it('each subscriber gets every item until it unsubscribes', async () => {
    const { tab, latest } = await openFollowingTab();
    const listener = vi.fn();
    const unsubscribe = tab.subscribe(listener);
    await latest().send(11);
    await pass(FIRST_BATCH_MS);
    expect(listener).toHaveBeenCalledWith([expect.objectContaining({ sequence: 11 })]);
    unsubscribe();
    await latest().send(12);
    await pass(BATCH_MS);
    expect(listener).toHaveBeenCalledOnce();
    expect(tab.batches).toEqual([[11], [12]]);
  });
});

describe('a lost live stream', () => {
  it('items that arrived before the connection was lost are delivered at once, and then the tab is not connected', async () => {
    const { tab, latest } = await openFollowingTab();
    const states: unknown[] = [];
    tab.subscribe(() => states.push(tab.isConnected()));
    await latest().send(11);
    await latest().lose();
    expect([tab.batches, states, tab.isConnected()]).toEqual([[[11]], [true], false]);
  });

  it('items before one that the page cannot read are delivered at once', async () => {
    const { tab, latest } = await openFollowingTab();
    await latest().send(11, { type: 'reset' } as StreamItem);
    expect([tab.batches, tab.isConnected()]).toEqual([[[11]], false]);
  });

  it('a tab whose stream is open again is notified that it may have missed changes', async () => {
    const { tab, connections, latest } = await openFollowingTab();
    await latest().lose();
    await pass(50);
    expect(connections.length).toBe(2);
    expect(tab.batches).toEqual([]);
    await latest().open(20);
    expect([tab.isConnected(), tab.batches]).toEqual([true, [['gap']]]);
    await latest().send(21);
    await pass(FIRST_BATCH_MS);
    expect(tab.batches).toEqual([['gap'], [21]]);
  });

  it('a tab is notified that the state was replaced when an emulator with another database runs at the address', async () => {
    const { tab, latest } = await openFollowingTab();
    await latest().lose();
    await pass(50);
    await latest().open(3, 'store_2');
    expect([tab.storeId(), tab.batches]).toEqual(['store_2', [['reset']]]);
  });

  it('a reset of the emulator arrives like any other item', async () => {
    const { tab, latest } = await openFollowingTab();
    await latest().send(11, { type: 'reset', sequence: 12 }, 13);
    await pass(FIRST_BATCH_MS);
    expect(tab.batches).toEqual([[11, 'reset', 13]]);
  });

  it('a tab that cannot connect tries again after pauses that double up to five seconds', async () => {
    const browser = createBrowser();
    const { connections, openTab } = browser;
    const tab = await openTab();
    for (const pause of [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]) {
      const { length } = connections;
      await latest(browser).lose();
      expect(tab.isConnected()).toBe(false);
      await pass(pause - 1);
      expect(connections.length).toBe(length);
      await pass(1);
      expect(connections.length).toBe(length + 1);
    }
    await latest(browser).open(10);
    expect([tab.isConnected(), tab.batches]).toEqual([true, [['gap']]]);
  });

  it('pauses are short again after a connection', async () => {
    const { connections, latest } = await openFollowingTab();
    await latest().lose();
    await pass(50);
    for (const pause of [250, 500]) {
      await latest().refuse();
      await pass(pause);
    }
    await latest().open(20);
    await latest().lose();
    await pass(50);
    const { length } = connections;
    await latest().refuse();
    await pass(250);
    expect(connections.length).toBe(length + 1);
  });
});

describe('the live stream of a hidden tab', () => {
  it('a tab that was opened in the background does not follow the stream until it is visible', async () => {
    const { connections, openTab } = createBrowser();
    const tab = await openTab({ isHidden: true });
    expect(connections).toEqual([]);
    tab.setHidden(false);
    await settle();
    expect(connections.length).toBe(1);
  });

  it('a tab that is hidden closes the stream, delivers what it has received, and stays connected', async () => {
    const { tab, connections, latest } = await openFollowingTab();
    await latest().send(11);
    tab.setHidden(true);
    await settle();
    expect(latest().isClosed).toBe(true);
    expect([tab.batches, tab.isConnected()]).toEqual([[[11]], true]);
    await pass(60_000);
    expect(connections.length).toBe(1);
  });

  it('a tab that is visible again opens the stream and is notified that it may have missed changes', async () => {
    const { tab, connections, latest } = await openFollowingTab();
    await hideAndShow(tab);
    expect(connections.length).toBe(2);
    await latest().open(20);
    expect(tab.batches).toEqual([['gap']]);
  });

  it('a tab that is hidden before its stream has failed does not connect again', async () => {
    const { connections, openTab } = createBrowser();
    const tab = await openTab();
    await connections[0]?.lose();
    tab.setHidden(true);
    await pass(60_000);
    expect(connections.length).toBe(1);
  });
});

describe('tabs of one browser', () => {
  it('tabs share one stream, and a new one learns the state from the tab that follows it', async () => {
    const { tab, connections, latest, openTab } = await openFollowingTab();
    const second = await openTab();
    const hidden = await openTab({ isHidden: true });
    for (const { isConnected, storeId } of [second, hidden])
      expect([isConnected(), storeId()]).toEqual([true, 'store_1']);
    await latest().send(11);
    await pass(FIRST_BATCH_MS);
    for (const { batches } of [tab, second, hidden]) expect(batches).toEqual([[11]]);
    expect(connections.length).toBe(1);
  });

  it('a new tab learns that the connection is lost, and nothing before the first connection', async () => {
    const browser = createBrowser();
    await browser.openTab();
    const second = await browser.openTab();
    expect(second.isConnected()).toBeNull();
    await latest(browser).lose();
    const third = await browser.openTab();
    expect([second.isConnected(), third.isConnected()]).toEqual([false, false]);
  });

  it('a new tab does not adopt the state that a hidden tab remembers from an earlier stream', async () => {
    const { tab, openTab, latest } = await openFollowingTab();
    await openTab({ isHidden: true });
    tab.setHidden(true);
    await settle();
    const second = await openTab();
    expect(second.isConnected()).toBeNull();
    await latest().open(20, 'store_2');
    expect([second.isConnected(), second.storeId(), second.batches]).toEqual([true, 'store_2', []]);
    expect([tab.storeId(), tab.batches]).toEqual(['store_2', [['reset']]]);
  });

  it('a tab that is visible again stays connected when the tab that follows the stream is about to connect', async () => {
    const { tab, openTab } = await openFollowingTab();
    tab.setHidden(true);
    await settle();
    await openTab();
    tab.setHidden(false);
    await settle();
    expect(tab.isConnected()).toBe(true);
  });

  it('a tab keeps the database that it knows when another one cannot connect', async () => {
    const { tab, openTab, latest } = await openFollowingTab();
    tab.setHidden(true);
    await settle();
    await openTab();
    await latest().refuse();
    expect([tab.isConnected(), tab.storeId(), tab.batches]).toEqual([false, 'store_1', []]);
  });

  it('another visible tab takes over when the one that follows the stream is hidden, and all of them load their data again', async () => {
    const { tab, connections, latest, openTab } = await openFollowingTab();
    const second = await openTab();
    const third = await openTab();
    tab.setHidden(true);
    await settle();
    expect(connections.length).toBe(2);
    await latest().open(20);
    for (const { batches } of [tab, second, third]) expect(batches).toEqual([['gap']]);
  });

  it('a tab that is hidden while it waits to follow the stream never follows it', async () => {
    const { tab, connections, openTab } = await openFollowingTab();
    const second = await openTab();
    second.setHidden(true);
    tab.setHidden(true);
    await settle();
    expect(connections.length).toBe(1);
  });

  it('a tab that is visible again asks for the state that it may have missed', async () => {
    const { tab, latest, openTab } = await openFollowingTab();
    const second = await openTab();
    tab.setHidden(true);
    await settle();
    await latest().open(20);
    await hideAndShow(tab);
    expect(tab.isConnected()).toBe(true);
    expect(second.isConnected()).toBe(true);
  });

  it('each visible tab has its own stream where the browser has no locks', async () => {
    const { connections, openTab } = createBrowser();
    const tabs = [await openTab({ hasLocks: false }), await openTab({ hasLocks: false })];
    expect(connections.length).toBe(2);
    await connections[0]?.open(10);
    expect(tabs.map(({ isConnected }) => isConnected())).toEqual([true, null]);
    tabs[0]?.setHidden(true);
    await settle();
    expect(connections.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  });
});
