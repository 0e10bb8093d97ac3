import { expect, it, vi } from 'vitest';
import { failedResult, runEventLoop, startDispatcher } from './dispatcher-setup.ts';

/** Sends an event to endpoints until the workspace is idle. @returns the number of reads of the due rows of an endpoint */
async function sendToAll(endpoints: number) {
  const dispatch = startDispatcher({ overrides: { 'webhook.limit': 1_000 } });
  const { trigger, workspace, dispatcher, store, inFlight } = dispatch;
  const listDue = vi.spyOn(store.deliveries, 'listDue');
  for (let number = 0; number < endpoints; number++) dispatch.endpoint(`http://127.0.0.1:9/${number}`);
  await trigger();
  let isIdle = false;
  const idle = dispatcher.whenIdle(workspace).then(() => {
    isIdle = true;
  });
  while (!isIdle) {
    await Promise.all(Array.from(inFlight, (attempt) => attempt.respond(failedResult)));
    await runEventLoop(1);
  }
  await idle;
  const readsOfEvent = listDue.mock.calls.length;
  await dispatch.moveTo(dispatch.nextDueAt() ?? 0);
  return { sent: dispatch.sent.length, readsOfEvent, readsOfJump: listDue.mock.calls.length - readsOfEvent };
}

it('the dispatcher reads the rows of endpoints in proportion to their number, and only of those that can get an attempt', async () => {
  const few = await sendToAll(100);
  const many = await sendToAll(400);
  expect([few.sent, many.sent]).toEqual([100 + 64, 400 + 64]);
  expect(few.readsOfEvent).toBeLessThanOrEqual(100);
  expect(many.readsOfEvent).toBeLessThanOrEqual(400);
  expect([few.readsOfJump, many.readsOfJump]).toEqual([64, 64]);
});
