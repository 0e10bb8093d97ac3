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

describe('a live list', () => {
  it('shows at once what happens', async () => {
    const { feed, arrive } = open(10);
    await arrive();
    feed.applyUpdates([news(11), news(3), news(5, false)]);
    expect([feed.list.length, feed.list.at(0)?.text, feed.list.at(7)?.text]).toEqual([10, 'new', 'new']);
  });

  it('keeps what happened while a page was on its way, which may be older', async () => {
    const { feed, arrive } = open(10);
    feed.applyUpdates([news(10), news(11)]);
    await arrive();
    expect([feed.list.length, feed.list.at(0)?.id, feed.list.at(1)?.text]).toEqual([11, thing(11).id, 'new']);
  });

  it('asks for the next page before the end is reached, and not twice', async () => {
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

  it('gives up what is far away, and asks for it again when one comes back', async () => {
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

  it('says why a page did not come, and asks for that one again when told to', async () => {
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

describe('a list that is held', () => {
  it('lets nothing come or go, counts what waits, and changes what is there', async () => {
    const { feed, arrive } = open(10);
    await arrive();
    feed.setPaused(true);
    feed.applyUpdates([news(11), news(12), news(11), news(10, false, 'changed'), news(13), news(13, false)]);
    expect([feed.list.length, feed.list.at(0)?.text, feed.waiting]).toEqual([10, 'changed', 2]);
  });

  it('does not count what is only further down than one has come', async () => {
    const { feed, arrive } = open(500);
    await arrive();
    feed.setPaused(true);
    feed.applyUpdates([news(3)]);
    expect(feed.waiting).toBe(0);
  });

  it('is asked for anew when it is let go, unless nothing happened', async () => {
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
    expect([feed.list.length, feed.list.at(0)?.id, feed.waiting]).toEqual([12, thing(12).id, 0]);
  });
});
