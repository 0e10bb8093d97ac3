import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/duration.ts';
import { failedResult, NOW, runEventLoop, startDispatcher } from './dispatcher-setup.ts';

/** Lets promises go on without a turn of the loop, so that writes end up in one group. */
async function microtasks(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

describe('a replay that meets the end of an attempt', () => {
  it.each([
    ['success', {}],
    ['failure', failedResult],
  ])('recorded just before it, in the same group, is made [replay]: %s', async (_, result) => {
    const { endpoint, trigger, attempt, replay, get, sent } = startDispatcher();
    endpoint();
    const [id = ''] = await trigger();
    const ended = (await attempt(1)).respond(result);
    await microtasks();
    await replay(id);
    await ended;
    await runEventLoop();
    expect(sent.map(({ deliveryId }) => deliveryId)).toEqual([id, id]);
    await sent[1]?.respond();
    expect(get(id)).toMatchObject({
      status: 'succeeded',
      attempt_count: 2,
      replays_waiting: 0,
      due_at: null,
    });
  });

  it('recorded just after it, in the same group, is made [replay]', async () => {
    const { endpoint, trigger, attempt, replay, get, sent } = startDispatcher();
    endpoint();
    const [id = ''] = await trigger();
    const first = await attempt(1);
    const replayed = replay(id);
    await first.respond();
    await replayed;
    await runEventLoop();
    expect(sent).toHaveLength(2);
    await sent[1]?.respond();
    expect(get(id)).toMatchObject({ status: 'succeeded', attempt_count: 2, replays_waiting: 0 });
  });

  it('is one attempt and no more: the retry that follows keeps its instant [replay]', async () => {
    const { endpoint, trigger, attempt, replay, get, sent } = startDispatcher();
    endpoint();
    const [id = ''] = await trigger();
    const first = await attempt(1);
    await replay(id);
    await first.respond(failedResult);
    await (await attempt(2)).respond(failedResult);
    await runEventLoop();
    expect(sent).toHaveLength(2);
    expect(get(id)).toMatchObject({ status: 'pending', due_at: NOW + 30 * MINUTE_MS });
  });

  it('that would be too late is made, and the delivery does not expire [replay, §6.retries.window]', async () => {
    const { endpoint, trigger, attempt, replay, get, workspace, sandbox } = startDispatcher();
    endpoint();
    const [id = ''] = await trigger();
    await (await attempt(1)).respond(failedResult);
    workspace.clock.moveTo(NOW + 80 * HOUR_MS);
    const replayed = replay(id);
    sandbox.bus.publish({ type: 'clock_changed', workspaceSeq: workspace.seq });
    await replayed;
    const manual = await attempt(2);
    await manual.respond();
    expect(get(id)).toMatchObject({ status: 'succeeded', attempt_count: 2, replays_waiting: 0 });
  });
});

describe('a lane', () => {
  it('gives nothing up that was due when its endpoint was disabled, and nothing out [delivery.concurrency]', async () => {
    const { endpoint, trigger, sent, update, underWay } = startDispatcher();
    const { id } = endpoint();
    const ids = await trigger(20);
    expect(sent).toHaveLength(8);
    await update(id, { disabled: true });
    await Promise.all(Array.from(underWay, (attempt) => attempt.respond()));
    expect(sent).toHaveLength(8);
    await update(id, { disabled: false });
    while (underWay.size > 0) await Promise.all(Array.from(underWay, (attempt) => attempt.respond()));
    expect(sent.map(({ deliveryId }) => deliveryId)).toEqual(ids);
  });

  it('gives out nothing of an endpoint that was deleted', async () => {
    const { endpoint, trigger, sent, remove, underWay, get } = startDispatcher();
    const { id } = endpoint();
    const ids = await trigger(20);
    await remove(id);
    await Promise.all(Array.from(underWay, (attempt) => attempt.respond()));
    expect(sent).toHaveLength(8);
    const statuses = ids.map((delivery) => get(delivery).status);
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 'canceled'));
  });
});
