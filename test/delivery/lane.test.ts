import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/duration.ts';
import { NOW, refused, startDispatch, turns } from './dispatching.ts';

/** Lets promises go on without a turn of the loop, so that writes end up in one group. */
async function microtasks(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

describe('a replay that meets the end of an attempt', () => {
  it.each([
    ['success', {}],
    ['failure', refused],
  ])('recorded just before it, in the same group, is made [replay]: %s', async (_, result) => {
    const { endpoint, trigger, attempt, replay, get, sent } = startDispatch();
    endpoint();
    const [id = ''] = await trigger();
    const ended = (await attempt(1)).answer(result);
    await microtasks();
    await replay(id);
    await ended;
    await turns();
    expect(sent.map(({ deliveryId }) => deliveryId)).toEqual([id, id]);
    await sent[1]?.answer();
    expect(get(id)).toMatchObject({
      status: 'succeeded',
      attempt_count: 2,
      replays_waiting: 0,
      due_at: null,
    });
  });

  it('recorded just after it, in the same group, is made [replay]', async () => {
    const { endpoint, trigger, attempt, replay, get, sent } = startDispatch();
    endpoint();
    const [id = ''] = await trigger();
    const first = await attempt(1);
    const replayed = replay(id);
    await first.answer();
    await replayed;
    await turns();
    expect(sent).toHaveLength(2);
    await sent[1]?.answer();
    expect(get(id)).toMatchObject({ status: 'succeeded', attempt_count: 2, replays_waiting: 0 });
  });

  it('is one attempt and no more: the retry that follows keeps its instant [replay]', async () => {
    const { endpoint, trigger, attempt, replay, get, sent } = startDispatch();
    endpoint();
    const [id = ''] = await trigger();
    const first = await attempt(1);
    await replay(id);
    await first.answer(refused);
    await (await attempt(2)).answer(refused);
    await turns();
    expect(sent).toHaveLength(2);
    expect(get(id)).toMatchObject({ status: 'pending', due_at: NOW + 30 * MINUTE_MS });
  });

  it('that would be too late is made, and the delivery does not expire [replay, §6.retries.window]', async () => {
    const { endpoint, trigger, attempt, replay, get, workspace, sandbox } = startDispatch();
    endpoint();
    const [id = ''] = await trigger();
    await (await attempt(1)).answer(refused);
    workspace.clock.moveTo(NOW + 80 * HOUR_MS);
    const replayed = replay(id);
    sandbox.bus.publish({ type: 'clock', workspaceSeq: workspace.seq });
    await replayed;
    const manual = await attempt(2);
    await manual.answer();
    expect(get(id)).toMatchObject({ status: 'succeeded', attempt_count: 2, replays_waiting: 0 });
  });
});

describe('a lane', () => {
  it('gives nothing up that was due when its endpoint was disabled, and nothing out [delivery.concurrency]', async () => {
    const { endpoint, trigger, sent, update, underWay } = startDispatch();
    const { id } = endpoint();
    const ids = await trigger(20);
    expect(sent).toHaveLength(8);
    await update(id, { disabled: true });
    await Promise.all(Array.from(underWay, (attempt) => attempt.answer()));
    expect(sent).toHaveLength(8);
    await update(id, { disabled: false });
    while (underWay.size > 0) await Promise.all(Array.from(underWay, (attempt) => attempt.answer()));
    expect(sent.map(({ deliveryId }) => deliveryId)).toEqual(ids);
  });

  it('gives out nothing of an endpoint that was deleted', async () => {
    const { endpoint, trigger, sent, remove, underWay, get } = startDispatch();
    const { id } = endpoint();
    const ids = await trigger(20);
    await remove(id);
    await Promise.all(Array.from(underWay, (attempt) => attempt.answer()));
    expect(sent).toHaveLength(8);
    const statuses = ids.map((delivery) => get(delivery).status);
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 'canceled'));
  });
});
