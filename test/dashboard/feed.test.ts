import { describe, expect, it } from 'vitest';
import type { Page } from '../../src/contract/resources.ts';
import { Feed, type PageRequest } from '../../src/dashboard/feed.ts';

interface Thing {
  readonly id: string;
  readonly text: string;
}

const thing = (number: number, text = ''): Thing => ({ id: `t_${String(number).padStart(5, '0')}`, text });
const news = (number: number, matches: boolean | null = true, text = 'new') => ({
  item: thing(number, text),
  matches,
});

/** An emulator with things `newest` to 1, that answers when it is told to. */
function open(newest: number) {
  const state = { newest, isBroken: false };
  const questions: PageRequest[] = [];
  const pending: (() => void)[] = [];
  const answer = ({ limit, starting_after: after }: PageRequest): Page<Thing> => {
    const first = after === undefined ? state.newest : Number(after.slice(2)) - 1;
    const data = Array.from({ length: Math.min(limit, first) }, (_, index) => thing(first - index));
    return { data, has_more: first > limit, end_cursor: data.at(-1)?.id ?? null };
  };
  const feed = new Feed<Thing>({
    fetchPage: (page) => {
      questions.push(page);
      // What the answer says is settled now; it arrives later.
      const result = state.isBroken ? null : answer(page);
      return new Promise((resolve, reject) =>
        pending.push(() => (result === null ? reject(new Error('broken')) : resolve(result))),
      );
    },
    onChange: () => {},
  });
  feed.load();
  const arrive = async () => {
    pending.shift()?.();
    await new Promise(setImmediate);
  };
  return { feed, state, questions, arrive };
}

describe('a feed', () => {
  it('a feed applies updates immediately', async () => {
    const { feed, arrive } = open(10);
    await arrive();
    feed.applyUpdates([news(11), news(3), news(5, false)]);
    expect([feed.list.length, feed.list.at(0)?.text, feed.list.at(7)?.text]).toEqual([10, 'new', 'new']);
  });

  it('a feed keeps updates that arrive while an older page is loading', async () => {
    const { feed, arrive } = open(10);
    feed.applyUpdates([news(10), news(11)]);
    await arrive();
    expect([feed.list.length, feed.list.at(0)?.id, feed.list.at(1)?.text]).toEqual([11, thing(11).id, 'new']);
  });

  it('a feed prefetches the next page once', async () => {
    const { feed, questions, arrive } = open(500);
    await arrive();
    feed.setVisibleRange(0, 20);
    expect(questions).toHaveLength(1);
    feed.setVisibleRange(60, 80);
    feed.setVisibleRange(61, 81);
    expect(questions.slice(1)).toEqual([{ limit: 100, starting_after: thing(401).id }]);
    await arrive();
    expect(feed.list.length).toBe(200);
  });

  it('a feed unloads distant items and loads them again when they become visible', async () => {
    const { feed, questions, arrive } = open(5_000);
    await arrive();
    for (let page = 0; page < 20; page++) {
      feed.setVisibleRange(page * 100 + 60, page * 100 + 80);
      await arrive();
    }
    feed.setVisibleRange(2_000, 2_020);
    expect([feed.list.length, feed.list.at(0)]).toEqual([2_100, undefined]);
    feed.setVisibleRange(850, 870);
    await arrive();
    expect(questions.at(-1)).toEqual({ limit: 100, starting_after: thing(4_201).id });
    expect(feed.list.at(850)?.id).toBe(thing(4_150).id);
    feed.setVisibleRange(0, 20);
    await arrive();
    expect(feed.list.at(0)?.id).toBe(thing(5_000).id);
  });

  it('a feed reports a failed page and requests it again on retry', async () => {
    const { feed, state, questions, arrive } = open(150);
    await arrive();
    state.isBroken = true;
    feed.setVisibleRange(60, 80);
    await arrive();
    feed.setVisibleRange(61, 81);
    expect([feed.error, feed.list.length, questions.length]).toEqual(['Error: broken', 100, 2]);
    feed.load();
    await arrive();
    state.isBroken = false;
    feed.retry();
    expect(questions.at(-1)).toEqual({ limit: 100 });
    await arrive();
    expect(feed.error).toBeNull();
  });
});

describe('a paused feed', () => {
  it('a paused feed updates existing items and counts new ones', async () => {
    const { feed, arrive } = open(10);
    await arrive();
    feed.setPaused(true);
    feed.applyUpdates([news(11), news(12), news(11), news(10, false, 'changed'), news(13), news(13, false)]);
    expect([feed.list.length, feed.list.at(0)?.text, feed.newCount]).toEqual([10, 'changed', 2]);
  });

  it('a paused feed does not count items below the loaded part', async () => {
    const { feed, arrive } = open(500);
    await arrive();
    feed.setPaused(true);
    feed.applyUpdates([news(3)]);
    expect(feed.newCount).toBe(0);
  });

  it('a paused feed reloads when resumed unless nothing changed', async () => {
    const { feed, state, questions, arrive } = open(10);
    await arrive();
    feed.setPaused(true);
    feed.setPaused(false);
    expect(questions).toHaveLength(1);
    feed.setPaused(true);
    state.newest = 12;
    feed.applyUpdates([news(11), news(12)]);
    feed.setPaused(false);
    await arrive();
    expect([feed.list.length, feed.list.at(0)?.id, feed.newCount]).toEqual([12, thing(12).id, 0]);
  });
});
