import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EndpointQueue } from '../../src/delivery/endpoint-queue.ts';
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
  const dispatch = startDispatcher({ overrides: { 'webhook.limit': 1_000 } });
  const { trigger, workspace, dispatcher, inFlight, sent } = dispatch;
  for (let number = 0; number < endpoints; number++) dispatch.endpoint(`http://127.0.0.1:9/${number}`);
  await trigger();
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
});
