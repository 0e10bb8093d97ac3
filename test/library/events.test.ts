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

  test('events.wait resolves to an event that is created with a key for all workspaces', async ({
    emulator,
    workspace,
  }) => {
    const created = workspace.events.wait();
    const { key: apiKey } = await emulator.control.createKey({
      scopes: ['events:write'],
      workspace_id: null,
    });
    const { workspaceId: workspace_id } = workspace;
    await post({ ...workspace, apiKey }, { type: 'invoice.paid', payload: {}, workspace_id });
    expect(await created).toMatchObject([{ type: 'invoice.paid' }]);
  });

  test('events.list and events.get return the payloads, newest first', async ({ workspace }) => {
    const { event } = await workspace.trigger('order.shipped', { order: 1 });
    await workspace.trigger('invoice.paid', { order: 2 });
    const listed = await workspace.events.list();
    expect(listed.map(({ payload }) => payload)).toEqual([{ order: 2 }, { order: 1 }]);
    expect(await workspace.events.list({ type: 'order.shipped' })).toMatchObject([{ id: event.id }]);
    expect(await workspace.events.get(event.id)).toMatchObject(event);
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
