import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulator } from '../../support/test-emulator.ts';
import { createReceiver } from '../../support/test-receiver.ts';
import { createTestWallClock } from '../../support/test-wall-clock.ts';
import { readState } from './read-state.ts';

function register({ api, status }: TestEmulator, url: string) {
  return api('POST', '/webhooks', { workspace_id: status().workspace_id, url, events: ['order.shipped'] });
}

function trigger({ api }: TestEmulator, headers: Record<string, string> = {}) {
  return api('POST', '/events', { type: 'order.shipped' }, headers);
}

describe('POST /_svc/reset', () => {
  it('a seeded run generates the same ids and secrets again after a reset', async () => {
    await using emulator = await startTestEmulator({ randomSeed: 1 });
    const make = async () => {
      const { json: webhook } = await register(emulator, 'http://127.0.0.1:9/');
      const { json: event } = await trigger(emulator);
      return { webhook, event, key: await emulator.control.createKey({ scopes: ['events:read'] }) };
    };
    const first = await make();
    await emulator.control.reset({});
    expect(await make()).toEqual(first);
  });

  it('a reset refills the rate limit of every API key [rate.limit]', async () => {
    await using emulator = await startTestEmulator({
      overrides: { 'rate.limit': { per_second: 1, burst: 1 } },
      wall: createTestWallClock(),
    });
    const statuses = async () => [
      (await emulator.api('GET', '/events')).status,
      (await emulator.api('GET', '/events')).status,
    ];
    expect(await statuses()).toEqual([200, 429]);
    await emulator.control.reset({});
    expect(await statuses()).toEqual([200, 429]);
  });
});

describe('POST /_svc/reset with all', () => {
  it('a reset of everything leaves only the default workspace, its key and the endpoint of --forward-to, as before', async () => {
    await using receiver = await createReceiver({ status: 503 });
    const db = join(createTemporaryFolder(), 'sandbox.db');
    const options = { db, forwardTo: { url: receiver.url, events: ['*'] } };
    await using first = await startTestEmulator(options);
    await trigger(first);
    await first.control.advanceClock({ ms: 0 });
    await first.close();
    const emulator = await startTestEmulator(options);
    const { control } = emulator;
    const { workspace_id, api_key, webhook_id, webhook_secret } = emulator.status();
    const other = await control.createWorkspace({ name: 'Other' });
    await control.createKey({ scopes: ['events:read'], workspace_id: other.id });
    await control.createWebhook({ url: 'http://127.0.0.1:9/' });
    await control.addFault({ on: 'delivery', kind: 'duplicate' });
    await control.setClock({ speed: 60, frozen: false });
    await trigger(emulator, { 'idempotency-key': 'k' });

    const status = await control.reset({ all: true });
    expect(status).toMatchObject({ workspace_id, api_key, webhook_id, webhook_secret, kept_deliveries: 0 });
    const state = await readState(emulator);
    expect(state).toMatchObject({
      workspaces: [{ id: workspace_id }],
      clocks: [{ speed: 0 }],
      keys: [{ workspace_id }],
      webhooks: [{ id: webhook_id, url: receiver.url }],
      deliveries: [],
      pending: { pending: 0, in_flight: 0 },
    });
    expect(state.keys).toHaveLength(1);
    expect((await control.listEvents({})).data).toEqual([]);
    expect((await control.listFaults({})).data).toEqual([]);
    expect((await trigger(emulator, { 'idempotency-key': 'k' })).status).toBe(201);
    expect((await control.listDeliveries({})).data).toHaveLength(1);

    // A later reset returns to the empty state, and so does the next start.
    expect(await control.reset({})).toMatchObject({ kept_deliveries: 0, webhook_secret });
    await emulator.close();
    await using next = await startTestEmulator(options);
    expect(next.status()).toMatchObject({ workspace_id, api_key, webhook_id, webhook_secret });
    expect((await next.control.listDeliveries({})).data).toEqual([]);
  });

  it('a reset of everything applies the seed again, and keeps the ID of its first workspace', async () => {
    const seed = { workspaces: [{ name: 'Seeded' }, { name: 'Second' }] };
    await using emulator = await startTestEmulator({ seed });
    const { workspace_id, api_key } = emulator.status();
    await emulator.control.createWorkspace({ name: 'Third' });
    expect(await emulator.control.reset({ all: true })).toMatchObject({ workspace_id, api_key });
    const { data } = await emulator.control.listWorkspaces({});
    expect(data.map(({ name }) => name).sort()).toEqual(['Second', 'Seeded']);
  });

  it('a seeded run never generates a value twice after a reset of everything', async () => {
    await using emulator = await startTestEmulator({ randomSeed: 1 });
    const make = async () => [
      (await trigger(emulator)).json.id,
      (await emulator.control.createWebhook({ url: 'http://127.0.0.1:9/' })).secret,
    ];
    const before = await make();
    await emulator.control.reset({ all: true });
    const after = await make();
    expect(before.filter((value) => after.includes(value))).toEqual([]);
  });
});
