import { describe, expect, it } from 'vitest';
import { LAST_TIME } from '../../../src/domain/clock.ts';
import { HOUR_MS } from '../../../src/domain/duration.ts';
import { createEvent } from '../../../src/emulator/service/events.ts';
import {
  createWebhook,
  deleteWebhook,
  findEquivalentWebhook,
  getWebhookRow,
  isPermanent,
  type NewWebhook,
  registerForwardTarget,
  registerWebhook,
  removeWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from '../../../src/emulator/service/webhooks.ts';
import type { Overrides } from '../../../src/profile/resolve-rules.ts';
import type { WebhookRow } from '../../../src/store/webhooks.ts';
import { openSandbox } from './open-sandbox.ts';

const URL_A = 'http://127.0.0.1:9/a';
const URL_B = 'http://127.0.0.1:9/b';

/** Two workspaces with frozen clocks, and functions that register endpoints in the first one by default. */
function open(overrides: Overrides = {}) {
  const opened = openSandbox(overrides);
  const { sandbox, addWorkspace } = opened;
  const { store } = sandbox;
  const workspace = addWorkspace('First', { frozen: true });
  const other = addWorkspace('Second', { frozen: true });
  const toInput = (change: Partial<NewWebhook>): NewWebhook => ({
    workspace,
    url: URL_A,
    events: ['*'],
    ...change,
  });
  return {
    ...{ ...opened, store, workspace, other },
    create: (change: Partial<NewWebhook> = {}) =>
      store.writeNow(() => createWebhook(sandbox, toInput(change))),
    register: (change: Partial<NewWebhook> = {}, canReuse = (_: WebhookRow) => false) =>
      store.writeNow(() => registerWebhook(sandbox, toInput(change), canReuse)),
    forwardTo: (url: string) => store.writeNow(() => registerForwardTarget(sandbox, toInput({ url }))),
    remove: (id: string) => store.writeNow(() => deleteWebhook(sandbox, id)),
    row: (id: string) => store.webhooks.findBySeq(store.webhooks.findSeq(id) ?? 0),
    createEvent: (workspaceOfEvent = workspace) =>
      store.writeNow(() => createEvent(sandbox, { workspace: workspaceOfEvent, type: 'a.b', payload: '{}' })),
  };
}

it('an endpoint has the given values, or defaults [§2.webhook.fields, webhook.record]', () => {
  const { create, row, workspace } = open();
  const created = create();
  const created_at = workspace.clock.now();
  expect(created).toEqual({
    ...{ id: expect.stringMatching(/^wh_\w{26}$/), workspace_id: workspace.id, url: URL_A, events: ['*'] },
    ...{ secret: expect.stringMatching(/^whsec_.{20,}$/), created_at: new Date(created_at).toISOString() },
  });
  const defaults = { disabled: 0, headers: '{}', skip_verify: 0, listener: 0, forward_target: 0 };
  const none = { previous_secret: null, previous_secret_expires_at: null, deleted_at: null };
  expect(row(created.id)).toMatchObject({ ...defaults, ...none, created_at });
  const given = { id: 'wh_given', secret: 'whsec_given', headers: { x: 'y' } };
  const flags = { disabled: true, skip_verify: true, listener: true, forward_target: true };
  expect(create({ ...given, ...flags })).toMatchObject({ id: 'wh_given', secret: 'whsec_given' });
  expect(row('wh_given')).toMatchObject({
    ...{ headers: '{"x":"y"}', disabled: 1, skip_verify: 1, listener: 1, forward_target: 1 },
  });
});

describe('registerWebhook', () => {
  it('a new endpoint has the secret of the last one with its URL in its workspace, unless one is given', () => {
    const { register, remove, other } = open();
    const first = register({ secret: 'whsec_1' });
    register({ url: URL_B, secret: 'whsec_other_url' });
    register({ workspace: other, secret: 'whsec_other_workspace' });
    expect(register().secret).toBe('whsec_1');
    expect(register({ secret: 'whsec_2' }).secret).toBe('whsec_2');
    expect(register().secret).toBe('whsec_2');
    remove(first.id);
    expect(register({ url: 'http://127.0.0.1:9/c' }).secret).not.toMatch(/^whsec_(?:1|2|other.*)$/);
  });

  it('a reused endpoint keeps its ID, secret and deliveries, gets the new values, and exists and is enabled again', () => {
    const { register, remove, row } = open();
    const first = register({ disabled: true, headers: { x: 'y' } });
    remove(first.id);
    expect(row(first.id)?.deleted_at).not.toBeNull();
    const reused = register({ events: ['a.b'], skip_verify: true }, ({ id }) => id === first.id);
    const expected = {
      ...first,
      events: '["a.b"]',
      skip_verify: 1,
      disabled: 0,
      deleted_at: null,
    };
    expect(reused).toEqual(expected);
    const { workspace_id: _, ...columns } = expected;
    expect(row(first.id)).toEqual(columns);
  });
});

describe('the limit of endpoints', () => {
  it('the endpoints of another workspace do not count [webhook.limit]', () => {
    const { create, other } = open({ 'webhook.limit': 1 });
    create();
    expect(create({ workspace: other }).workspace_id).toBe(other.id);
  });

  it('a deleted endpoint counts again when it is reused, and one that exists does not count twice [webhook.limit]', () => {
    const { create, register, remove, workspace } = open({ 'webhook.limit': 2 });
    const reuse = (url: string) => register({ url }, () => true);
    const limited = expect.objectContaining({
      code: 'validation_failed',
      message: `${workspace.id} has 2 endpoints, which is the limit of a workspace.`,
    });
    const [first, second] = [create({ url: URL_A, disabled: true }), create({ url: URL_B })];
    expect(() => create()).toThrow(limited);
    expect(reuse(URL_A).id).toBe(first.id);
    remove(second.id);
    expect(reuse(URL_B).id).toBe(second.id);
    remove(second.id);
    create({ url: `${URL_B}/other` });
    expect(() => reuse(URL_B)).toThrow(limited);
  });
});

describe('registerForwardTarget', () => {
  it('the endpoint keeps its ID and secret when the URL changes', () => {
    const { forwardTo, row } = open();
    const first = forwardTo(URL_A);
    expect(row(first.id)).toMatchObject({ url: URL_A, forward_target: 1 });
    expect(forwardTo(URL_A)).toEqual(first);
    expect(forwardTo(URL_B)).toEqual({ ...first, url: URL_B });
  });

  it('a permanent endpoint with the URL is used instead, and the earlier one is disabled', () => {
    const { forwardTo, create, row } = open();
    const first = forwardTo(URL_A);
    const own = create({ url: URL_B });
    expect(forwardTo(URL_B).id).toBe(own.id);
    expect(row(first.id)).toMatchObject({ url: URL_A, disabled: 1 });
    expect(row(own.id)).toMatchObject({ disabled: 0, forward_target: 0 });
    expect(forwardTo(URL_B).id).toBe(own.id);
    expect([forwardTo(URL_A).id, row(first.id)?.disabled]).toEqual([first.id, 0]);
  });

  it('the endpoint stays the same when another one with its URL exists', () => {
    const { forwardTo, create, row } = open();
    const first = forwardTo(URL_A);
    const other = row(create({ events: ['a.b'] }).id);
    expect(forwardTo(URL_A)).toEqual(first);
    expect(row(other?.id ?? '')).toEqual(other);
  });

  it('the endpoint of another workspace is not changed', () => {
    const { forwardTo, create, other, row } = open();
    const foreign = create({ workspace: other, forward_target: true });
    const webhook = forwardTo(URL_B);
    expect(webhook.id).not.toBe(foreign.id);
    expect(row(foreign.id)?.url).toBe(URL_A);
  });

  it('a listener or a deleted endpoint with the URL is not used', () => {
    const { forwardTo, create, remove } = open();
    const [listener, deleted] = [create({ listener: true }), create()];
    remove(deleted.id);
    const webhook = forwardTo(URL_A);
    expect([listener.id, deleted.id]).not.toContain(webhook.id);
    expect(webhook.secret).toBe(deleted.secret);
  });
});

describe('findEquivalentWebhook', () => {
  const equivalent = (change: Partial<NewWebhook>, isRemoved = false) => {
    const { sandbox, create, remove, workspace } = open();
    const { id } = create({ events: ['a.b', 'a.c'], ...change });
    if (isRemoved) remove(id);
    const input = { workspace, url: URL_A, events: ['a.c', 'a.d'] };
    const found = findEquivalentWebhook(sandbox, input, isPermanent);
    expect([undefined, id]).toContain(found?.id);
    if (found) expect(found.workspace_id).toBe(workspace.id);
    return found !== undefined;
  };

  it('an enabled permanent endpoint with the URL and a common event type is equivalent', () => {
    expect(equivalent({})).toBe(true);
    expect(equivalent({ events: ['*'] })).toBe(true);
    expect(equivalent({ events: ['a.b'] })).toBe(false);
    expect(equivalent({ url: URL_B })).toBe(false);
    expect(equivalent({ listener: true })).toBe(false);
    expect(equivalent({ disabled: true })).toBe(false);
    expect(equivalent({}, true)).toBe(false);
  });
});

describe('updateWebhook', () => {
  it('only the given values change', () => {
    const { sandbox, store, create, row } = open();
    const { id } = create({ headers: { x: 'y' }, skip_verify: true });
    const before = row(id);
    const update = (change: Parameters<typeof updateWebhook>[2]) =>
      store.writeNow(() => updateWebhook(sandbox, id, change));
    update({});
    expect(row(id)).toEqual(before);
    const changed = { url: URL_B, events: ['a.b'], disabled: true, headers: {}, skip_verify: false };
    expect(update(changed)).toMatchObject({
      url: URL_B,
      events: ['a.b'],
      disabled: true,
      headers: {},
      skip_verify: false,
    });
    expect(row(id)).toEqual({
      ...{ ...before, url: URL_B, events: '["a.b"]', disabled: 1, headers: '{}', skip_verify: 0 },
    });
  });

  it('an endpoint that does not exist is not found', () => {
    const { sandbox, create, remove } = open();
    const { id } = create();
    remove(id);
    for (const each of [id, 'wh_none']) {
      expect(() => getWebhookRow(sandbox, each)).toThrow(
        expect.objectContaining({ code: 'not_found', message: `Endpoint ${each} does not exist.` }),
      );
    }
  });
});

it.each([
  [HOUR_MS, HOUR_MS],
  [0, null],
  [Number.MAX_SAFE_INTEGER, LAST_TIME],
])(
  'with an overlap of %d ms, the previous secret signs for %d ms of the clock of the workspace [signature.header]',
  (overlapMs, expected) => {
    const { sandbox, store, create, row, workspace, other } = open();
    other.clock.moveTo(other.clock.now() + 9 * HOUR_MS);
    const { id, secret } = create();
    const rotated = store.writeNow(() => rotateWebhookSecret(sandbox, id, overlapMs));
    const endsAt = expected === HOUR_MS ? workspace.clock.now() + HOUR_MS : expected;
    expect(rotated.secret).not.toBe(secret);
    expect(row(id)).toMatchObject({
      ...{ secret: rotated.secret, previous_secret: secret, previous_secret_expires_at: endsAt },
    });
    expect(rotated.previous_secret_expires_at).toBe(endsAt === null ? null : new Date(endsAt).toISOString());
  },
);

it('the pending deliveries of the endpoint are canceled at the time of its workspace, and no others', async () => {
  const { sandbox, store, create, createEvent, published, workspace, other, row } = open();
  const [first, second] = [create(), create({ url: URL_B })];
  create({ workspace: other });
  createEvent();
  createEvent(other);
  workspace.clock.moveTo(workspace.clock.now() + HOUR_MS);
  expect(await removeWebhook(sandbox, first.id)).toBe(1);
  const at = workspace.clock.now();
  expect(row(first.id)?.deleted_at).toBe(at);
  expect(row(second.id)?.deleted_at).toBeNull();
  expect(published).toEqual([{ type: 'schedule_changed' }]);
  expect([workspace, other].map(({ seq }) => store.deliveries.countPending(seq))).toEqual([1, 1]);
  await expect(removeWebhook(sandbox, first.id)).rejects.toMatchObject({ code: 'not_found' });
});
