import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DueTimeHeap } from '../../src/delivery/due-time-heap.ts';
import { EndpointQueue } from '../../src/delivery/endpoint-queue.ts';
import { FanOut } from '../../src/sandbox/fan-out.ts';
import { failedResult, runEventLoop, startDispatcher } from './dispatcher-setup.ts';

/** Counts the looks at lanes, which is the work that grew with the square of their number. */
function countLooks() {
  const hasDue = vi.spyOn(EndpointQueue.prototype, 'hasDue');
  const dueAt = vi.spyOn(EndpointQueue.prototype, 'nextDueAt', 'get');
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
  const dispatch = startDispatcher();
  const { sandbox, store, workspace, dispatcher, underWay, sent } = dispatch;
  for (let number = 0; number < endpoints; number++) dispatch.endpoint(`http://127.0.0.1:9/${number}`);
  const event = { workspace, type: 'order.shipped', payload: '{}' };
  const { toPublish } = await new FanOut(sandbox).create(event, ({ publish }) => store.write(publish));
  for (const item of toPublish) sandbox.bus.publish(item);
  let isIdle = false;
  const idle = dispatcher.whenIdle(workspace).then(() => {
    isIdle = true;
  });
  const answerAll = async (result = {}) => {
    while (!isIdle) {
      await Promise.all(Array.from(underWay, (attempt) => attempt.respond(result)));
      await runEventLoop(1);
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
      await all.answerAll(failedResult);
      looks();
      const dueAt = all.dispatcher.getNextDueAt(all.workspace.seq);
      await all.moveTo(dueAt);
      return looks();
    };
    const ofFew = await jump(100);
    expect(await jump(400)).toBeLessThan(ofFew * 4 * 1.25);
  });

  it('loads the deliveries of an event a hundred in a turn', async () => {
    const plan = vi.spyOn(EndpointQueue.prototype, 'schedule');
    onTestFinished(() => plan.mockRestore());
    const all = await sendToAll(350);
    const loaded = [plan.mock.calls.length];
    while ((loaded.at(-1) ?? 0) < 350) {
      await runEventLoop(1);
      loaded.push(plan.mock.calls.length);
    }
    expect(loaded).toEqual([100, 200, 300, 350]);
    await all.answerAll();
    expect(all.sent).toHaveLength(350);
  });
});

describe('DueTimes', () => {
  it('returns the earliest first, older endpoints first at the same time, and forgets earlier times', () => {
    const laneOf = (webhookSeq: number) => ({ webhookSeq }) as EndpointQueue;
    const times = new DueTimeHeap();
    const lanes = Array.from({ length: 200 }, (_, index) => laneOf(index));
    for (const endpointQueue of lanes) times.set(endpointQueue, (endpointQueue.webhookSeq * 7919) % 50);
    for (const endpointQueue of lanes.slice(0, 50)) times.set(endpointQueue, 60);
    for (const endpointQueue of lanes.slice(50, 60)) times.delete(endpointQueue);
    expect(times.popDue(-1)).toBeUndefined();
    const taken: number[] = [];
    for (
      let endpointQueue = times.popDue(100);
      endpointQueue !== undefined;
      endpointQueue = times.popDue(100)
    )
      taken.push(endpointQueue.webhookSeq);
    const timeOf = (seq: number) => (seq < 50 ? 60 : (seq * 7919) % 50);
    const expected = lanes
      .map(({ webhookSeq }) => webhookSeq)
      .filter((seq) => seq < 50 || seq >= 60)
      .sort((a, b) => timeOf(a) - timeOf(b) || a - b);
    expect(taken).toEqual(expected);
    expect(times.earliest).toBe(Number.POSITIVE_INFINITY);
  });
});
