/** What a test does with events, with the schedule clock and with snapshots of deliveries. */
import { describe, expect } from 'vitest';
import type { Workspace } from '../../src/library/workspace.ts';
import { test } from '../../src/vitest.ts';

/** Creates an event as the code under test does. */
function post({ baseUrl, apiKey }: Workspace, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  return fetch(`${baseUrl}/events`, { method: 'POST', headers, body: JSON.stringify(body) });
}

describe('events', () => {
  test('events.wait resolves to events that the code under test creates', async ({ workspace }) => {
    const paid = workspace.events.wait({ type: 'invoice.paid', where: ({ payload }) => payload.order === 2 });
    const create = (order: number) => post(workspace, { type: 'invoice.paid', payload: { order } });
    await create(1);
    await create(2);
    expect(await paid).toMatchObject([{ type: 'invoice.paid', payload: { order: 2 } }]);
    expect(await workspace.events.wait({}, { count: 2 })).toHaveLength(2);
  });

  test('events.list and events.get return the payloads, newest first', async ({ workspace }) => {
    const { event } = await workspace.trigger('order.shipped', { order: 1 });
    await workspace.trigger('invoice.paid', { order: 2 });
    const listed = await workspace.events.list();
    expect(listed.map(({ payload }) => payload)).toEqual([{ order: 2 }, { order: 1 }]);
    expect(await workspace.events.list({ type: 'order.shipped' })).toMatchObject([{ id: event.id }]);
    expect(await workspace.events.get(event.id)).toMatchObject(event);
  });

  test('events.wait says what happened instead', async ({ workspace }) => {
    await workspace.trigger('order.shipped');
    await post(workspace, { type: 'Paid' });
    await expect(workspace.events.wait({ type: 'invoice.paid' }, { timeout: 20 })).rejects.toMatchObject({
      code: 'timeout',
      message: [
        '0 of 1 event of invoice.paid was created within 20ms.',
        '  Events of these types were created: order.shipped.',
        '  POST /v1/events was rejected: 422 validation_failed.',
      ].join('\n'),
    });
  });
});

describe('clock.advanceTo', () => {
  test('clock.advanceTo moves the schedule clock to a time and sends what falls due until then', async ({
    workspace,
    receiver,
  }) => {
    receiver.respond([500, 200]);
    await workspace.trigger('order.shipped');
    await receiver.request(1);
    const { now } = await workspace.clock.show();
    const later = new Date(Date.parse(now) + 3_600_000);
    expect(await workspace.clock.advanceTo(later)).toMatchObject({ now: later.toISOString(), pending: 0 });
    expect(receiver.requests).toHaveLength(2);
    expect(await workspace.clock.advanceTo(later.toISOString())).toMatchObject({ now: later.toISOString() });
  });

  test('clock.advanceTo moves the clock to the time even if the clock moves before it is called', async ({
    workspace,
  }) => {
    const { now } = await workspace.clock.freeze();
    const later = new Date(Date.parse(now) + 600_000);
    const [, move] = await Promise.all([workspace.clock.advance('5m'), workspace.clock.advanceTo(later)]);
    expect(move.now).toBe(later.toISOString());
  });
});

describe('snapshots of deliveries', () => {
  test('deliveries.snapshot replaces what differs from run to run', async ({ workspace }) => {
    const { id } = await workspace.webhooks.create({ url: 'http://127.0.0.1:9/hooks', events: ['a.b'] });
    const { event, deliveries } = await workspace.trigger('a.b', { event: 'evt_x', webhook: id });
    await workspace.clock.advance('5m');
    await workspace.deliveries.replay(`${deliveries[0]?.id}`, { new_id: true });
    await workspace.clock.advance(0);
    const [first, second] = await workspace.deliveries.snapshot({ event_id: event.id });
    const attempt = { outcome: 'connection_error', response_status: null };
    expect(first).toMatchObject({
      ...{
        id: 'del_1',
        event: 'evt_1',
        webhook: 'wh_1',
        url: 'http://127.0.0.1:PORT/hooks',
        replay_of: null,
      },
      payload: { event: 'evt_x', webhook: 'wh_1' },
      attempts: [
        { ...attempt, number: 1, after: '0ms', trigger: 'schedule' },
        { ...attempt, number: 2, after: '5m' },
      ],
    });
    expect(second).toMatchObject({ id: 'del_2', event: 'evt_1', replay_of: 'del_1' });
    expect(JSON.stringify(first)).not.toContain(':9');
  });
});
