import { describe, expect, it } from 'vitest';
import type { Page } from '../../src/contract/resources.ts';
import { Feed, MAX_NEW_COUNT, type PageRequest } from '../../src/dashboard/feed.ts';

interface TestItem {
  readonly id: string;
  readonly text: string;
}

const itemOf = (number: number, text = ''): TestItem => ({
  id: `t_${String(number).padStart(5, '0')}`,
  text,
});
const updateOf = (number: number, matches: boolean | null = true, text = 'new') => ({
  item: itemOf(number, text),
  matches,
});

/** A fake emulator with items from `newest` down to 1. It sends a response on each call of `arrive`. */
function open(newest: number) {
  const state = { newest, isBroken: false, changes: 0 };
  const requests: PageRequest[] = [];
  const pending: (() => void)[] = [];
  const respond = ({ limit, starting_after: after }: PageRequest): Page<TestItem> => {
    const first = after === undefined ? state.newest : Number(after.slice(2)) - 1;
    const data = Array.from({ length: Math.min(limit, first) }, (_, index) => itemOf(first - index));
    return { data, has_more: first > limit, end_cursor: data.at(-1)?.id ?? null };
  };
  const feed = new Feed<TestItem>({
    fetchPage: (page) => {
      requests.push(page);
      // The content of the response is fixed now; it arrives later.
      const result = state.isBroken ? null : respond(page);
      return new Promise((resolve, reject) =>
        pending.push(() => (result === null ? reject(new Error('broken')) : resolve(result))),
      );
    },
    onChange: () => void state.changes++,
  });
  feed.load();
  /** @param index position among the responses that have not arrived yet */
  const arrive = async (index = 0) => {
    pending.splice(index, 1)[0]?.();
    await new Promise(setImmediate);
  };
  return { feed, state, requests, arrive };
}

describe('a feed', () => {
  it('a feed applies updates immediately', async () => {
    const { feed, arrive } = open(10);
    await arrive();
    feed.applyUpdates([updateOf(11), updateOf(3), updateOf(5, false)]);
    expect([feed.list.length, feed.list.at(0)?.text, feed.list.at(7)?.text]).toEqual([10, 'new', 'new']);
  });

  it('a feed keeps updates that arrive while an older page is loading', async () => {
    const { feed, arrive } = open(10);
    feed.applyUpdates([updateOf(10), updateOf(11)]);
    await arrive();
    expect([feed.list.length, feed.list.at(0)?.id, feed.list.at(1)?.text]).toEqual([
      11,
      itemOf(11).id,
      'new',
    ]);
  });

  it('a feed ignores a response that arrives after the response to a newer request', async () => {
    const { feed, state, arrive } = open(10);
    state.newest = 12;
    feed.load();
    await arrive(1);
    await arrive();
    expect([feed.list.length, feed.list.at(0)?.id, feed.isLoading]).toEqual([12, itemOf(12).id, false]);
  });

  it('a feed ignores the error of a request that a newer one has replaced', async () => {
    const { feed, state, requests, arrive } = open(10);
    await arrive();
    state.isBroken = true;
    feed.load();
    state.isBroken = false;
    feed.load();
    await arrive(1);
    await arrive();
    expect([feed.error, feed.list.length, feed.isLoading]).toEqual([null, 10, false]);
    feed.retry();
    expect(requests).toHaveLength(3);
  });

  it('a feed ignores the response to a request that was canceled', async () => {
    const { feed, arrive } = open(10);
    feed.cancel();
    await arrive();
    expect([feed.isLoaded, feed.list.length]).toEqual([false, 0]);
  });

  it('a feed requests no more pages after a failure until it is retried', async () => {
    const { feed, state, requests, arrive } = open(300);
    await arrive();
    state.isBroken = true;
    feed.setVisibleRange(60, 80);
    await arrive();
    state.isBroken = false;
    feed.setVisibleRange(70, 90);
    expect(requests).toHaveLength(2);
    feed.retry();
    await arrive();
    expect([feed.error, feed.list.length]).toEqual([null, 200]);
  });

  it('a feed prefetches the next page once', async () => {
    const { feed, requests, arrive } = open(500);
    await arrive();
    feed.setVisibleRange(0, 20);
    expect(requests).toHaveLength(1);
    feed.setVisibleRange(60, 80);
    feed.setVisibleRange(61, 81);
    expect(requests.slice(1)).toEqual([{ limit: 100, starting_after: itemOf(401).id }]);
    await arrive();
    expect(feed.list.length).toBe(200);
  });

  it('a feed unloads distant items and loads them again when they become visible', async () => {
    const { feed, requests, arrive } = open(5_000);
    await arrive();
    for (let page = 0; page < 20; page++) {
      feed.setVisibleRange(page * 100 + 60, page * 100 + 80);
      await arrive();
    }
    feed.setVisibleRange(2_000, 2_020);
    expect([feed.list.length, feed.list.at(0)]).toEqual([2_100, undefined]);
    feed.setVisibleRange(850, 870);
    await arrive();
    expect(requests.at(-1)).toEqual({ limit: 100, starting_after: itemOf(4_201).id });
    const reloaded = Array.from({ length: 100 }, (_, index) => feed.list.at(800 + index)?.id);
    expect(reloaded).toEqual(reloaded.map((_, index) => itemOf(4_200 - index).id));
    feed.setVisibleRange(0, 20);
    await arrive();
    expect(feed.list.at(0)?.id).toBe(itemOf(5_000).id);
  });

  it('a feed reports a failed page and requests it again on retry', async () => {
    const { feed, state, requests, arrive } = open(150);
    await arrive();
    state.isBroken = true;
    feed.setVisibleRange(60, 80);
    await arrive();
    feed.setVisibleRange(61, 81);
    expect([feed.error, feed.list.length, requests.length]).toEqual(['Error: broken', 100, 2]);
    feed.load();
    await arrive();
    state.isBroken = false;
    feed.retry();
    expect(requests.at(-1)).toEqual({ limit: 100 });
    await arrive();
    expect(feed.error).toBeNull();
  });
});

describe('the page of a feed', () => {
  it('a feed reports a change when a request begins and ends, and after updates', async () => {
    const { feed, state, arrive } = open(10);
    expect([state.changes, feed.isLoading]).toEqual([1, true]);
    await arrive();
    expect([state.changes, feed.isLoading]).toEqual([2, false]);
    feed.applyUpdates([updateOf(3)]);
    expect(state.changes).toBe(3);
    feed.cancel();
    feed.setVisibleRange(0, 5);
    expect(state.changes).toBe(3);
  });

  it('a feed reports no change for updates before its first page', async () => {
    const { feed, state, arrive } = open(10);
    feed.applyUpdates([updateOf(11)]);
    expect(state.changes).toBe(1);
    await arrive();
    expect(feed.list.length).toBe(11);
  });

  it('a feed does not apply updates again that arrived while an earlier page was loading', async () => {
    const { feed, arrive } = open(500);
    feed.applyUpdates([updateOf(499, false)]);
    await arrive();
    feed.setVisibleRange(60, 80);
    feed.applyUpdates([updateOf(499)]);
    await arrive();
    expect([feed.list.length, feed.list.at(1)?.text]).toEqual([200, 'new']);
  });

  it('a feed prefetches when fewer than half a page is left below the visible range', async () => {
    const { feed, requests, arrive } = open(500);
    await arrive();
    feed.setVisibleRange(40, 50);
    expect(requests).toHaveLength(1);
    feed.setVisibleRange(41, 51);
    expect(requests).toHaveLength(2);
  });

  it('a feed loads the page that became visible while another was loading, but not after an error', async () => {
    const { feed, state, requests, arrive } = open(500);
    feed.setVisibleRange(90, 110);
    await arrive();
    expect(requests).toHaveLength(2);
    state.isBroken = true;
    feed.load();
    feed.setVisibleRange(150, 170);
    await arrive(1);
    expect([requests.length, feed.error]).toEqual([3, 'Error: broken']);
  });

  it('a feed unloads distant items when an update arrives', async () => {
    const { feed, arrive } = open(2_000);
    await arrive();
    for (let page = 0; page < 12; page++) {
      feed.setVisibleRange(page * 100 + 60, page * 100 + 80);
      await arrive();
    }
    expect(feed.list.length).toBe(1_300);
    feed.setVisibleRange(0, 20);
    feed.applyUpdates(Array.from({ length: 250 }, (_, index) => updateOf(2_001 + index)));
    expect(feed.list.length).toBe(1_100);
  });

  it('a feed loads all items of a part that has grown, and none below it', async () => {
    const { feed, state, requests, arrive } = open(5_000);
    await arrive();
    state.newest += 50;
    feed.applyUpdates(Array.from({ length: 50 }, (_, index) => updateOf(5_001 + index)));
    for (let page = 0; page < 20; page++) {
      feed.setVisibleRange(page * 100 + 110, page * 100 + 130);
      await arrive();
    }
    const [count, { length }] = [requests.length, feed.list];
    expect(feed.list.at(149)).toBeUndefined();
    feed.setVisibleRange(1_000, 1_020);
    feed.setVisibleRange(100, 120);
    await arrive();
    await arrive();
    expect(requests.slice(count)).toEqual([{ limit: 100 }, { limit: 100, starting_after: itemOf(4_951).id }]);
    const ids = Array.from({ length: 150 }, (_, index) => feed.list.at(index)?.id);
    expect(ids).toEqual(ids.map((_, index) => itemOf(5_050 - index).id));
    expect([feed.list.at(150), feed.list.length < length]).toEqual([undefined, true]);
  });

  it('a feed ends at the last page', async () => {
    const { feed, requests, arrive } = open(150);
    await arrive();
    feed.setVisibleRange(60, 80);
    await arrive();
    feed.setVisibleRange(140, 149);
    await arrive();
    expect([requests.length, feed.list.length]).toEqual([2, 150]);
  });
});

describe('a paused feed', () => {
  it('a paused feed reloads once when resumed if an item no longer matches', async () => {
    const { feed, requests, arrive } = open(10);
    await arrive();
    feed.setPaused(true);
    feed.applyUpdates([updateOf(5, true), updateOf(6, null), updateOf(30, false)]);
    feed.setPaused(false);
    expect(requests).toHaveLength(1);
    feed.setPaused(true);
    feed.applyUpdates([updateOf(5, false)]);
    feed.setPaused(true);
    expect(requests).toHaveLength(1);
    feed.setPaused(false);
    await arrive();
    feed.setPaused(true);
    feed.setPaused(false);
    expect(requests).toHaveLength(2);
  });

  it('a paused feed counts a new item only if it matches, up to a maximum', async () => {
    const { feed, arrive } = open(10);
    await arrive();
    feed.setPaused(true);
    feed.applyUpdates([updateOf(11, null), updateOf(12, false)]);
    expect(feed.newCount).toBe(0);
    feed.applyUpdates(Array.from({ length: MAX_NEW_COUNT + 1 }, (_, index) => updateOf(20 + index)));
    expect(feed.newCount).toBe(9_999);
  });

  it('a paused feed updates existing items and counts new ones', async () => {
    const { feed, arrive } = open(10);
    await arrive();
    feed.setPaused(true);
    feed.applyUpdates([
      updateOf(11),
      updateOf(12),
      updateOf(11),
      updateOf(10, false, 'changed'),
      updateOf(13),
      updateOf(13, false),
    ]);
    expect([feed.list.length, feed.list.at(0)?.text, feed.newCount]).toEqual([10, 'changed', 2]);
  });

  it('a paused feed does not count items below the loaded part', async () => {
    const { feed, arrive } = open(500);
    await arrive();
    feed.setPaused(true);
    feed.applyUpdates([updateOf(3)]);
    expect(feed.newCount).toBe(0);
  });

  it('a paused feed reloads when resumed unless nothing changed', async () => {
    const { feed, state, requests, arrive } = open(10);
    await arrive();
    feed.setPaused(true);
    feed.setPaused(false);
    expect(requests).toHaveLength(1);
    feed.setPaused(true);
    state.newest = 12;
    feed.applyUpdates([updateOf(11), updateOf(12)]);
    feed.setPaused(false);
    await arrive();
    expect([feed.list.length, feed.list.at(0)?.id, feed.newCount]).toEqual([12, itemOf(12).id, 0]);
  });
});
