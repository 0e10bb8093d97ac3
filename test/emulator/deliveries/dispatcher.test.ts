import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../../src/domain/duration.ts';
import { MAX_UNRECORDED } from '../../../src/emulator/deliveries/dispatcher.ts';
import { createPublicHandlers } from '../../../src/emulator/service/public-handlers.ts';
import { deleteWebhook } from '../../../src/emulator/service/webhooks.ts';
import { insertEvent } from '../../store/rows.ts';
import { failedResult, NOW, runEventLoop, runTurn, startDispatcher } from './dispatcher-setup.ts';

const originOf = ({ url }: { url: string }) => new URL(url).port;

it('a new delivery is not sent if its endpoint was deleted in the same commit', async () => {
  const { endpoint, createEvent, store, sandbox, sent } = startDispatcher();
  const { id } = endpoint();
  const [{ eventsToPublish }] = await Promise.all([
    store.write(createEvent),
    store.write(() => deleteWebhook(sandbox, id)),
  ]);
  for (const item of eventsToPublish) sandbox.bus.publish(item);
  await runEventLoop();
  expect(eventsToPublish).toHaveLength(1);
  expect(sent).toEqual([]);
});

describe('the dispatcher', () => {
  it('the next attempt to an endpoint starts when a response arrives, before the attempt is committed [delivery.concurrency]', async () => {
    const { endpoint, trigger, inFlight, sent, get, dispatcher } = startDispatcher();
    endpoint();
    const [first = ''] = await trigger(9);
    const recorded = sent[0]?.respond();
    await runTurn();
    expect(inFlight.size).toBe(8);
    expect(sent).toHaveLength(9);
    expect(get(first).status).toBe('pending');
    expect(dispatcher.inFlight).toBe(9);
    await recorded;
    expect(get(first).status).toBe('succeeded');
    expect(dispatcher.inFlight).toBe(8);
  });

  it.each([
    [{}, 8, 24],
    [{ per_endpoint: 1, total: 64 }, 1, 3],
    [{ per_endpoint: 2, total: 64 }, 2, 6],
    [{ per_endpoint: 8, total: 1 }, 1, 1],
    [{ per_endpoint: 1, total: 2 }, 1, 2],
  ])(
    'the dispatcher respects the limits %j: %d for one endpoint, %d for three [delivery.concurrency]',
    async (limits, one, three) => {
      const single = startDispatcher({ overrides: { 'delivery.concurrency': limits } });
      single.endpoint();
      await single.trigger(10);
      expect(single.inFlight.size).toBe(one);
      const several = startDispatcher({ overrides: { 'delivery.concurrency': limits } });
      for (let port = 1; port <= 3; port++) several.endpoint(`http://127.0.0.1:${port}/`);
      await several.trigger(10);
      expect(several.inFlight.size).toBe(three);
    },
  );

  it('the dispatcher has at most sixty-four attempts in flight by default [delivery.concurrency]', async () => {
    const { endpoint, trigger, inFlight } = startDispatcher();
    for (let port = 1; port <= 100; port++) endpoint(`http://127.0.0.1:${port}/`);
    await trigger(3);
    expect(inFlight.size).toBe(64);
  });

  it('endpoints take turns, however many deliveries are due for one of them', async () => {
    const { endpoint, trigger, sent } = startDispatcher({
      overrides: { 'delivery.concurrency': { per_endpoint: 1, total: 1 } },
    });
    endpoint('http://127.0.0.1:1/');
    await trigger(5);
    endpoint('http://127.0.0.1:2/');
    await trigger(2);
    for (let i = 0; i < 9; i++) await sent[i]?.respond();
    expect(sent.map(originOf)).toEqual(['1', '1', '2', '1', '2', '1', '1', '1', '1']);
  });

  it('the dispatcher sends many due deliveries in their order, each once', async () => {
    const { endpoint, trigger, sent, inFlight, get } = startDispatcher();
    endpoint();
    const ids = await trigger(700);
    while (inFlight.size > 0) await Promise.all(Array.from(inFlight, (attempt) => attempt.respond()));
    expect(sent.map(({ deliveryId }) => deliveryId)).toEqual(ids);
    expect(ids.every((id) => get(id).status === 'succeeded')).toBe(true);
  });

  it('the dispatcher makes the attempt at the very end of the retry window although its timer fires late [§6.retries.window]', async () => {
    const overrides = { 'retry.schedule': ['24h', '24h', '24h'] };
    const { endpoint, trigger, attempt, moveTo, get, sent } = startDispatcher({ overrides });
    endpoint();
    const [id = ''] = await trigger();
    for (const [index, late] of [0, 3, 6, 9].entries()) {
      await moveTo(NOW + index * 24 * HOUR_MS + late);
      await (await attempt(index + 1)).respond(failedResult);
    }
    expect(sent).toHaveLength(4);
    expect(get(id)).toMatchObject({ status: 'failed', settled_reason: 'window_elapsed', attempt_count: 4 });
  });

  it('the dispatcher reads only a few of the due deliveries at a time', async () => {
    const { endpoint, store, workspace, sandbox, inFlight, sent } = startDispatcher();
    const { id } = endpoint();
    const seq = store.webhooks.find(id)?.seq ?? 0;
    store.writeNow(() => {
      const event = insertEvent(store, workspace.seq);
      for (let i = 0; i < 20_000; i++) {
        store.deliveries.insert({
          ...{ seq: store.nextSeq(), id: workspace.ids.next('delivery', NOW), event_seq: event },
          ...{ webhook_seq: seq, workspace_seq: workspace.seq, created_at: NOW, due_at: NOW },
        });
      }
    });
    const { listDue } = store.deliveries;
    const read: number[] = [];
    store.deliveries.listDue = (...args) => {
      const due = listDue.apply(store.deliveries, args);
      read.push(due.length);
      return due;
    };
    sandbox.bus.publish({ type: 'schedule_changed' });
    await runTurn();
    for (let i = 0; i < 100; i++) await Promise.all(Array.from(inFlight, (attempt) => attempt.respond()));
    expect(sent.length).toBeGreaterThan(700);
    expect(Math.max(...read)).toBeLessThanOrEqual(64 + 8 + MAX_UNRECORDED);
    expect(new Set(sent.map(({ deliveryId }) => deliveryId)).size).toBe(sent.length);
  });

  it('an event that is committed just before a reset is removed by it', async () => {
    const { endpoint, store, sandbox, workspace, sent } = startDispatcher();
    endpoint();
    store.setBaseline();
    const created = createPublicHandlers(sandbox).createEvent({
      caller: { keySeq: 1, keyId: 'key_test', scopes: ['events:write'], workspaceSeq: null },
      input: { type: 'order.shipped', workspace_id: workspace.id },
      ...{ method: 'POST', path: '/v1/events', body: null, idempotencyKey: null },
    });
    store.replaceState('baseline', () => {});
    sandbox.workspaces.clear();
    sandbox.bus.publish({ type: 'state_replaced' });
    expect(await created).toMatchObject({ status: 201 });
    await runEventLoop();
    expect([store.deliveries.countAll(), sent.length]).toEqual([0, 0]);
  });
});
