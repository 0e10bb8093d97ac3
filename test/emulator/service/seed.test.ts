import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Seed } from '../../../src/operations/seed-schema.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { startTestEmulator } from '../../support/test-emulator.ts';
import { createReceiver } from '../../support/test-receiver.ts';

const ID = '01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';
const root = join(import.meta.dirname, '../../..');

/** The example in the documentation. */
function readExample(): Seed {
  const document = readFileSync(join(root, 'docs/state.md'), 'utf8');
  return parse(/^```yaml\n([\s\S]*?)^```/m.exec(document)?.[1] ?? '');
}

const boot = (seed: unknown, rest: object = {}) => startTestEmulator({ seed: seed as Seed, ...rest });

describe('a seed', () => {
  it('the example in the documentation creates what it describes', async () => {
    await using emulator = await boot(readExample(), { clock: {} });
    const { control } = emulator;
    expect(emulator.seeded).toBe(true);
    expect(emulator.status()).toMatchObject({ workspace_id: `ws_${ID}`, api_key: 'svc_test_acme_admin' });
    expect((await control.listWorkspaces({})).data.map(({ name }) => name)).toEqual(['Globex', 'Acme']);
    expect(await control.getClock({})).toMatchObject({ now: '2026-11-20T12:00:00.000Z', speed: 0 });

    const { data: webhooks } = await control.listWebhooks({});
    expect(webhooks).toMatchObject([
      { url: 'http://localhost:3000/audit', events: ['*'], disabled: true },
      { url: 'http://localhost:3000/webhooks', events: ['order.shipped', 'invoice.paid'], disabled: false },
    ]);
    const { json } = await emulator.api('GET', '/events');
    expect(json.data).toMatchObject([{ type: 'order.shipped', payload: { order: 1042, carrier: 'dhl' } }]);
    expect((await control.listDeliveries({})).data).toMatchObject([{ webhook_id: webhooks[1]?.id }]);
  });

  it('the keys of a seed have their scopes, and no other key is created [§5.3]', async () => {
    await using emulator = await boot(readExample());
    expect((await emulator.control.listKeys({})).data).toMatchObject([
      { last4: 'port', workspace_id: null, scopes: ['events:read', 'workspaces:read'] },
      { last4: 'ader', workspace_id: `ws_${ID}`, scopes: ['events:read'] },
      { last4: 'dmin', scopes: ['events:read', 'events:write', 'webhooks:manage', 'workspaces:read'] },
    ]);
    const headers = { authorization: 'Bearer svc_test_acme_reader' };
    const response = await emulator.api('POST', '/events', { type: 'a.b' }, headers);
    expect(response.status).toBe(403);
  });

  it('the events of a seed are delivered with its secrets and ids', async () => {
    await using receiver = await createReceiver();
    const [event, webhook] = [`evt_${ID}`, `wh_${ID}`];
    const secret = 'whsec_of_the_seed';
    await using emulator = await boot({
      workspaces: [
        {
          name: 'A',
          webhooks: [{ id: webhook, url: receiver.url, events: ['*'], secret, headers: { 'x-a': 'b' } }],
          events: [{ id: event, type: 'a.b' }],
        },
      ],
    });
    const [request] = await receiver.waitFor(1);
    expect(JSON.parse(String(request?.body))).toMatchObject({ data: { id: event, payload: {} } });
    expect(request?.headers['x-a']).toBe('b');
    const [delivery] = (await emulator.control.listDeliveries({ webhook_id: webhook })).data;
    expect(delivery?.event_id).toBe(event);
    expect((await emulator.control.rotateWebhookSecret({ id: webhook })).secret).not.toBe(secret);
  });

  it('the faults of a seed are active from the first request on, in one workspace or all, and again after a reset', async () => {
    const down = { on: 'request', status: 503, count: 1 };
    const seed = {
      workspaces: [
        { name: 'A', keys: [{ key: 'svc_test_of_a' }], faults: [down] },
        { name: 'B', keys: [{ key: 'svc_test_of_b' }] },
      ],
      faults: [{ ...down, path: '/events' }],
    };
    await using emulator = await boot(seed);
    const ask = async (key: string, path: string) =>
      (await emulator.api('GET', path, undefined, { authorization: `Bearer svc_test_of_${key}` })).status;
    const statuses = async () => [
      ...[await ask('a', '/events'), await ask('b', '/events')],
      ...[await ask('a', '/events'), await ask('b', '/events')],
    ];
    const expected = [503, 503, 200, 200];
    expect(await statuses()).toEqual(expected);
    const { data } = await emulator.control.listFaults({});
    expect(
      data.map(({ workspace_id, applied_count }) => [workspace_id !== undefined, applied_count]),
    ).toEqual([
      [false, 1],
      [true, 1],
    ]);
    await emulator.control.reset({});
    expect(await statuses()).toEqual(expected);
  });
});

describe('an invalid seed', () => {
  const inWorkspace = (members: object) => ({ workspaces: [{ name: 'A', ...members }] });
  const webhook = { url: 'http://127.0.0.1:9/', events: ['*'] };

  it.each<[unknown, string]>([
    [[], 'The seed: it must be an object, not an array.'],
    [inWorkspace({ faults: [{ on: 'request', kind: 'drop' }] }), 'The seed: workspaces[0].faults[0].kind '],
    [
      { ...inWorkspace({}), faults: [{ on: 'delivery', kind: 'drop', webhook_id: `wh_${ID}` }] },
      'The seed: faults[0].webhook_id must be the ID of an endpoint in the same part of the seed.',
    ],
    [
      inWorkspace({ faults: [{ on: 'request', status: 503, workspace_id: `ws_${ID}` }] }),
      'The seed: workspaces[0].faults[0].workspace_id is not a known field.',
    ],
    [{}, 'The seed: workspaces is required.'],
    [{ workspaces: [] }, 'The seed: workspaces must have at least one workspace.'],
    [
      inWorkspace({ webhooks: [webhook, { ...webhook, url: 'http://8.8.8.8/' }] }),
      'The seed: workspaces[0].webhooks[1].url must use HTTPS',
    ],
    [
      inWorkspace({ webhooks: [{ ...webhook, secret: 'x' }] }),
      'The seed: workspaces[0].webhooks[0].secret must be',
    ],
    [
      inWorkspace({ keys: [{ key: 'svc_live_abcd' }] }),
      'The seed: workspaces[0].keys[0].key must be svc_test_',
    ],
    [inWorkspace({ clock: { now: 'noon' } }), 'The seed: workspaces[0].clock.now must be an ISO 8601 time'],
    [
      { ...inWorkspace({ keys: [{ key: 'svc_test_abcd' }] }), keys: [{ key: 'svc_test_abcd' }] },
      'The seed: keys[0].key occurs twice.',
    ],
  ])('the error for the seed %j says where the mistake is', async (seed, message) => {
    const db = join(createTemporaryFolder(), 'sandbox.db');
    await expect(boot(seed, { db })).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining(message),
    });
    await using emulator = await boot(readExample(), { db });
    expect(emulator.seeded).toBe(true);
  });
});
