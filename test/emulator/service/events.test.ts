import { describe, expect, it } from 'vitest';
import { createEvent, listEvents } from '../../../src/emulator/service/events.ts';
import { createPublicHandlers } from '../../../src/emulator/service/public-handlers.ts';
import { createWebhook } from '../../../src/emulator/service/webhooks.ts';
import type { LoadedWorkspace } from '../../../src/emulator/service/workspace-registry.ts';
import { createCaller, openSandbox } from './open-sandbox.ts';

function open() {
  const opened = openSandbox();
  const { sandbox, addWorkspace } = opened;
  const { store } = sandbox;
  const [workspace, other] = [addWorkspace('First'), addWorkspace('Second', { speed: 60 })];
  return {
    ...{ ...opened, store, workspace, other },
    endpoint: (owner: LoadedWorkspace, events: string[]) =>
      store.writeNow(() => createWebhook(sandbox, { workspace: owner, url: 'http://127.0.0.1:9/', events })),
    create: (owner: LoadedWorkspace, type: string, payload = '{}') =>
      store.writeNow(() => createEvent(sandbox, { workspace: owner, type, payload })),
  };
}

describe('createEvent', () => {
  it('each subscribed endpoint of the workspace gets a delivery that is due at once [§6.registration.events, §1.deliveries]', async () => {
    const { store, workspace, other, endpoint, create } = open();
    const all = endpoint(workspace, ['*']);
    endpoint(workspace, ['b.c']);
    const one = endpoint(workspace, ['a.b']);
    endpoint(other, ['*']);
    const { id, text, eventsToPublish } = create(workspace, 'a.b', '{"n":1.0}');
    const page = await store.deliveryQueries.list({ event_id: id }, { limit: 10, beforeSeq: null });
    const deliveries = page.rows.toReversed();
    const now = workspace.clock.now();
    expect(deliveries.map((row) => [row.webhook_id, row.due_at, row.created_at, row.status])).toEqual([
      [all.id, now, now, 'pending'],
      [one.id, now, now, 'pending'],
    ]);
    expect(eventsToPublish).toEqual(
      deliveries.map(({ seq, webhook_seq: webhookSeq }) => ({
        type: 'delivery_due',
        seq,
        webhookSeq,
        workspace,
      })),
    );
    expect(JSON.parse(text)).toMatchObject({ id, type: 'a.b', payload: { n: 1 } });
    expect(text).toContain('{"n":1.0}');
  });

  it('the clock is stored with the event, so that it cannot be earlier after a restart', () => {
    const { sandbox, store, other, create } = open();
    sandbox.wall.advance(1_000);
    create(other, 'a.b');
    expect(store.workspaces.findBySeq(other.seq)?.clock_at).toBe(other.clock.now());
  });
});

it('a page lists the events of one workspace, and its cursor must be one of them [list.order, list.filter]', () => {
  const { sandbox, workspace, other, create } = open();
  const [first, second, foreign] = [create(workspace, 'a.b'), create(workspace, 'c.d'), create(other, 'a.b')];
  const list = (input: { starting_after?: string; type?: string; limit?: number }, owner = workspace) =>
    JSON.parse(
      listEvents(sandbox, createCaller(owner), {
        ...{ limit: 10, workspaceId: undefined, filter: { type: input.type } },
        ...input,
      }),
    );
  const page = (events: { text: string; id: string }[], has_more = false) => ({
    ...{
      data: events.map(({ text }) => JSON.parse(text)),
      has_more,
      end_cursor: events.at(-1)?.id ?? null,
    },
  });
  expect(list({})).toEqual(page([second, first]));
  expect(list({ limit: 1 })).toEqual(page([second], true));
  expect(list({ starting_after: second.id })).toEqual(page([first]));
  expect(list({ starting_after: first.id })).toEqual(page([]));
  expect(list({ type: 'a.b' })).toEqual(page([first]));
  expect(list({}, other)).toEqual(page([foreign]));
  for (const cursor of [foreign.id, 'evt_none']) {
    expect(() => list({ starting_after: cursor })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  }
});

it('an event is published after its commit, and a repeated request publishes nothing', async () => {
  const { sandbox, workspace, endpoint, published } = open();
  endpoint(workspace, ['*']);
  const handlers = createPublicHandlers(sandbox);
  const createOnce = (key: string | null) =>
    handlers.createEvent({
      ...{
        caller: createCaller(workspace),
        input: { type: 'a.b' },
        method: 'POST',
        path: '/v1/events',
      },
      body: { bytes: Buffer.from('{}'), json: { fieldText: () => '{"n":1}' } as never },
      idempotencyKey: key,
    });
  const first = await createOnce('key');
  expect(first).toMatchObject({ status: 201, resourceId: JSON.parse(first.text).id });
  expect(JSON.parse(first.text)).toMatchObject({ type: 'a.b', payload: { n: 1 } });
  expect(published).toMatchObject([{ type: 'delivery_due' }]);
  expect(await createOnce('key')).toEqual({ ...first, isReplayed: true });
  expect(published).toHaveLength(1);
  expect((await createOnce(null)).text).not.toBe(first.text);
  expect(published).toHaveLength(2);
});
