import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DueTimes } from '../../src/delivery/due-times.ts';
import { Lane } from '../../src/delivery/lane.ts';
import { FanOut } from '../../src/sandbox/fan-out.ts';
import { refused, startDispatch, turns } from './dispatching.ts';

/** Counts the looks at lanes, which is the work that grew with the square of their number. */
function countLooks() {
  const hasDue = vi.spyOn(Lane.prototype, 'hasDue');
  const dueAt = vi.spyOn(Lane.prototype, 'dueAt', 'get');
  onTestFinished(() => {
    hasDue.mockRestore();
    dueAt.mockRestore();
  });
  return () => {
    const count = hasDue.mock.calls.length + dueAt.mock.calls.length;
    hasDue.mockClear();
    dueAt.mockClear();
    return count;
  };
}

async function sendToAll(endpoints: number) {
  const dispatch = startDispatch();
  const { sandbox, store, workspace, dispatcher, underWay, sent } = dispatch;
  for (let number = 0; number < endpoints; number++) dispatch.endpoint(`http://127.0.0.1:9/${number}`);
  const event = { workspace, type: 'order.shipped', payload: '{}' };
  const { news } = await new FanOut(sandbox).create(event, ({ publish }) => store.write(publish));
  for (const item of news) sandbox.bus.publish(item);
  let isIdle = false;
  const idle = dispatcher.whenIdle(workspace).then(() => {
    isIdle = true;
  });
  const answerAll = async (result = {}) => {
    while (!isIdle) {
      await Promise.all(Array.from(underWay, (attempt) => attempt.answer(result)));
      await turns(1);
    }
    await idle;
  };
  return { ...dispatch, sent, answerAll };
}

describe('the dispatcher with many endpoints', () => {
  it('looks at endpoints in proportion to their number while it sends an event to all of them', async () => {
    const looks = countLooks();
    const few = await sendToAll(150);
    await few.answerAll();
    const ofFew = looks();
    const many = await sendToAll(600);
    await many.answerAll();
    expect(many.sent).toHaveLength(600);
    expect(looks()).toBeLessThan(ofFew * 4 * 1.25);
  });

  it('looks at endpoints in proportion to their number when the clock jumps to their retries', async () => {
    const looks = countLooks();
    const jump = async (endpoints: number) => {
      const all = await sendToAll(endpoints);
      await all.answerAll(refused);
      looks();
      const dueAt = all.dispatcher.nextDueAt(all.workspace.seq);
      await all.moveTo(dueAt);
      return looks();
    };
    const ofFew = await jump(100);
    expect(await jump(400)).toBeLessThan(ofFew * 4 * 1.25);
  });

  it('loads the deliveries of an event a hundred in a turn', async () => {
    const plan = vi.spyOn(Lane.prototype, 'plan');
    onTestFinished(() => plan.mockRestore());
    const all = await sendToAll(350);
    const loaded = [plan.mock.calls.length];
    while ((loaded.at(-1) ?? 0) < 350) {
      await turns(1);
      loaded.push(plan.mock.calls.length);
    }
    expect(loaded).toEqual([100, 200, 300, 350]);
    await all.answerAll();
    expect(all.sent).toHaveLength(350);
  });
});

describe('DueTimes', () => {
  it('returns the earliest first, older endpoints first at the same time, and forgets earlier times', () => {
    const laneOf = (webhookSeq: number) => ({ webhookSeq }) as Lane;
    const times = new DueTimes();
    const lanes = Array.from({ length: 200 }, (_, index) => laneOf(index));
    for (const lane of lanes) times.set(lane, (lane.webhookSeq * 7919) % 50);
    for (const lane of lanes.slice(0, 50)) times.set(lane, 60);
    for (const lane of lanes.slice(50, 60)) times.delete(lane);
    expect(times.take(-1)).toBeUndefined();
    const taken: number[] = [];
    for (let lane = times.take(100); lane !== undefined; lane = times.take(100)) taken.push(lane.webhookSeq);
    const timeOf = (seq: number) => (seq < 50 ? 60 : (seq * 7919) % 50);
    const expected = lanes
      .map(({ webhookSeq }) => webhookSeq)
      .filter((seq) => seq < 50 || seq >= 60)
      .sort((a, b) => timeOf(a) - timeOf(b) || a - b);
    expect(taken).toEqual(expected);
    expect(times.earliest).toBe(Number.POSITIVE_INFINITY);
  });
});
