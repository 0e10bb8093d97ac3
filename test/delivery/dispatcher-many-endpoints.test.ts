import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EndpointQueue } from '../../src/delivery/endpoint-queue.ts';
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
