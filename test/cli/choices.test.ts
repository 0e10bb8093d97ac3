import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventTypeChoices, fixtureChoices, scriptChoices } from '../../src/cli/choices/fixture-choices.ts';
import {
  deliveryChoices,
  eventChoices,
  keyChoices,
  webhookChoices,
  workspaceChoices,
} from '../../src/cli/choices/resource-choices.ts';
import type { ApiKey } from '../../src/resources/key.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { aDelivery, apiResponse, createFakeContext, pageOf } from './fake-context.ts';

const created_at = '2026-11-20T11:57:00.000Z';
const aWebhook = {
  ...{ id: 'wh_1', workspace_id: 'ws_1', url: 'http://localhost:3000/hooks', events: ['a.b', 'c.d'] },
  ...{ created_at, disabled: false, previous_secret_expires_at: null, headers: {}, verify_tls: true },
} as never;
const aKey: ApiKey = {
  ...{ id: 'key_1', name: 'Checkout', scopes: ['events:read'], workspace_id: null, last4: 'abcd' },
  ...{ created_at, revoked_at: null },
};

describe('choices of a prompt', () => {
  it('delivery choices show status, event type, age and URL', async () => {
    const failed = aDelivery({ id: 'del_1', status: 'failed', next_attempt_at: null });
    const { context } = createFakeContext({ control: { listDeliveries: async () => pageOf(failed) } });
    expect(await deliveryChoices.list(context)).toEqual([
      {
        value: 'del_1',
        description: '✗ failed  order.shipped  3m ago  http://localhost:3000/webhooks',
      },
    ]);
  });

  it('endpoint choices show URL and event types', async () => {
    const { context } = createFakeContext({ control: { listWebhooks: async () => pageOf(aWebhook) } });
    expect(await webhookChoices.list(context)).toEqual([
      { value: 'wh_1', description: 'http://localhost:3000/hooks  a.b,c.d  enabled  3m ago' },
    ]);
  });

  it('workspace choices show the name', async () => {
    const workspace = { id: 'ws_1', name: 'Team A', environment: 'sandbox' as const, created_at };
    const { context } = createFakeContext({ control: { listWorkspaces: async () => pageOf(workspace) } });
    expect(await workspaceChoices.list(context)).toEqual([
      { value: 'ws_1', description: 'Team A  sandbox  3m ago' },
    ]);
  });

  it('API key choices do not include revoked keys', async () => {
    const revoked = { ...aKey, id: 'key_2', revoked_at: created_at };
    const { context } = createFakeContext({ control: { listKeys: async () => pageOf(aKey, revoked) } });
    expect(await keyChoices.list(context)).toEqual([
      { value: 'key_1', description: 'Checkout  …abcd  events:read  all  3m ago' },
    ]);
  });

  it('event choices are the events of the workspace', async () => {
    const event = { id: 'evt_1', workspace_id: 'ws_1', type: 'a.b', payload: { n: 1 }, created_at };
    const { context } = createFakeContext({
      api: {
        listEvents: async (query) => {
          expect(query).toEqual({ workspace_id: 'ws_default', limit: '100' });
          return apiResponse(pageOf(event));
        },
      },
    });
    expect(await eventChoices.list(context)).toEqual([
      { value: 'evt_1', description: 'a.b  3m ago  {"n":1}' },
    ]);
  });

  it('event type choices are the types with a fixture', async () => {
    const cwd = createTemporaryFolder();
    mkdirSync(join(cwd, 'fixtures/events'), { recursive: true });
    writeFileSync(join(cwd, 'fixtures/events/parcel.lost.json'), '{"description":"Gone","payload":{}}');
    const { context } = createFakeContext({ cwd });
    const items = await eventTypeChoices.list(context);
    expect(items).toContainEqual({ value: 'parcel.lost', description: 'Gone' });
    expect(items.filter(({ value }) => value === 'order.shipped')).toHaveLength(1);
  });

  it('fixture choices contain event types and scripts', async () => {
    const { context } = createFakeContext();
    const valuesOf = async (choiceSource: typeof fixtureChoices) =>
      (await choiceSource.list(context)).map(({ value }) => value);
    const all = await valuesOf(fixtureChoices);
    // No emulator is running, so no other event types are known.
    expect(all).toEqual([...(await valuesOf(eventTypeChoices)), ...(await valuesOf(scriptChoices))]);
    expect(await valuesOf(eventTypeChoices)).toContain('order.shipped');
    expect(await valuesOf(scriptChoices)).toContain('order-lifecycle');
  });

  it('choices show control sequences as escapes', async () => {
    const delivery = aDelivery({ id: 'del_1', url: 'http://a/\x1b]0;title\x07' });
    const { context } = createFakeContext({ control: { listDeliveries: async () => pageOf(delivery) } });
    const [choice] = await deliveryChoices.list(context);
    expect(choice?.description).toContain('http://a/\\x1b]0;title\\x07');
  });
});
