import { describe, expect, it } from 'vitest';
import type { Page } from '../../src/contract/resources.ts';
import { Feed, type PageRequest } from '../../src/dashboard/feed.ts';

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
  const state = { newest, isBroken: false };
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
    onChange: () => {},
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

describe('a paused feed', () => {
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
