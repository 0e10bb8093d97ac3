import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EndpointQueue } from '../../src/delivery/endpoint-queue.ts';
import { DueTimeHeap } from '../../src/delivery/workspace-schedule.ts';
import { FanOut } from '../../src/sandbox/events.ts';
import { failedResult, runEventLoop, startDispatcher } from './dispatcher-setup.ts';

/** Counts the visits to queues. They once grew with the square of the number of queues. */
function countVisits() {
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
  const { sandbox, store, workspace, dispatcher, inFlight, sent } = dispatch;
  for (let number = 0; number < endpoints; number++) dispatch.endpoint(`http://127.0.0.1:9/${number}`);
  const event = { workspace, type: 'order.shipped', payload: '{}' };
  const { eventsToPublish } = await new FanOut(sandbox).create(event, ({ publish }) => store.write(publish));
  for (const item of eventsToPublish) sandbox.bus.publish(item);
  let isIdle = false;
  const idle = dispatcher.whenIdle(workspace).then(() => {
    isIdle = true;
  });
  const respondToAll = async (result = {}) => {
    while (!isIdle) {
      await Promise.all(Array.from(inFlight, (attempt) => attempt.respond(result)));
      await runEventLoop(1);
    }
    await idle;
  };
  return { ...dispatch, sent, respondToAll };
}

describe('the dispatcher with many endpoints', () => {
  it('the dispatcher visits endpoints in proportion to their number while it sends an event to all of them', async () => {
    const countSoFar = countVisits();
    const few = await sendToAll(150);
    await few.respondToAll();
    const ofFew = countSoFar();
    const many = await sendToAll(600);
    await many.respondToAll();
    expect(many.sent).toHaveLength(600);
    expect(countSoFar()).toBeLessThan(ofFew * 4 * 1.25);
  });

  it('the dispatcher visits endpoints in proportion to their number when the clock jumps to their retries', async () => {
    const countSoFar = countVisits();
    const jump = async (endpoints: number) => {
      const all = await sendToAll(endpoints);
      await all.respondToAll(failedResult);
      countSoFar();
      const dueAt = all.dispatcher.getNextDueAt(all.workspace.seq);
      await all.moveTo(dueAt);
      return countSoFar();
    };
    const ofFew = await jump(100);
    expect(await jump(400)).toBeLessThan(ofFew * 4 * 1.25);
  });

  it('the dispatcher loads the deliveries of an event in slices of a hundred', async () => {
    const schedule = vi.spyOn(EndpointQueue.prototype, 'schedule');
    onTestFinished(() => schedule.mockRestore());
    const all = await sendToAll(350);
    const loaded = [schedule.mock.calls.length];
    while ((loaded.at(-1) ?? 0) < 350) {
      await runEventLoop(1);
      loaded.push(schedule.mock.calls.length);
    }
    expect(loaded).toEqual([100, 200, 300, 350]);
    await all.respondToAll();
    expect(all.sent).toHaveLength(350);
  });
});

describe('DueTimeHeap', () => {
  it('DueTimeHeap returns the earliest due time first, older endpoints first on a tie, and forgets replaced times', () => {
    const createQueue = (webhookSeq: number) => ({ webhookSeq }) as EndpointQueue;
    const times = new DueTimeHeap();
    const queues = Array.from({ length: 200 }, (_, index) => createQueue(index));
    for (const queue of queues) times.set(queue, (queue.webhookSeq * 7919) % 50);
    for (const queue of queues.slice(0, 50)) times.set(queue, 60);
    for (const queue of queues.slice(50, 60)) times.delete(queue);
    expect(times.popDue(-1)).toBeUndefined();
    const taken: number[] = [];
    for (let queue = times.popDue(100); queue !== undefined; queue = times.popDue(100))
      taken.push(queue.webhookSeq);
    const timeOf = (seq: number) => (seq < 50 ? 60 : (seq * 7919) % 50);
    const expected = queues
      .map(({ webhookSeq }) => webhookSeq)
      .filter((seq) => seq < 50 || seq >= 60)
      .sort((a, b) => timeOf(a) - timeOf(b) || a - b);
    expect(taken).toEqual(expected);
    expect(times.earliest).toBe(Number.POSITIVE_INFINITY);
  });
});
