import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Scope, scopes } from '../../src/domain/credentials.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { type ApiResponse, startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';

let emulator: TestEmulator;
let workspaceId: string;
/** A key for all workspaces, a key for a second workspace, and the resources of that workspace. */
let general: string;
let elsewhere: { key: string; workspaceId: string; eventId: string };
beforeAll(async () => {
  emulator = await startTestEmulator();
  workspaceId = emulator.status().workspace_id;
  general = await createKey([...scopes], null);
  const second = await emulator.control.createWorkspace({ name: 'Second' });
  const key = await createKey([...scopes], second.id);
  const { json } = await as(key, 'POST', '/events', { type: 'order.shipped' });
  elsewhere = { key, workspaceId: second.id, eventId: json.id };
});
afterAll(() => emulator.close());

async function createKey(of: Scope[], workspace: string | null = workspaceId): Promise<string> {
  return (await emulator.control.createKey({ scopes: of, workspace_id: workspace })).key;
}

function as(key: string, method: string, path: string, body?: unknown): Promise<ApiResponse> {
  return emulator.api(method, path, body, { authorization: `Bearer ${key}` });
}

const webhookIn = (workspace: string) => ({
  workspace_id: workspace,
  url: 'https://hooks.example.com/',
  events: ['order.shipped'],
});

describe('a key without the scope', () => {
  const needs: [Scope, string, string, unknown?][] = [
    ['events:write', 'POST', '/events', { type: 'order.shipped' }],
    ['webhooks:manage', 'POST', '/webhooks', {}],
    ['events:read', 'GET', '/events'],
    ['events:read', 'GET', '/events/evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
    ['workspaces:read', 'GET', '/workspaces/ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
  ];

  it.each(needs)(
    'an unknown key gets 401 where the scope %s is needed: %s %s [§5.1, §7.401]',
    async (_, method, path, body) => {
      expect((await as('none', method, path, body)).status).toBe(401);
    },
  );

  it.each(needs)(
    'a key without %s gets 403 with the name of the scope at %s %s [§5.3, §5.4, §5.5, §7.403, key.scopes]',
    async (scope, method, path, body) => {
      const key = await createKey(scopes.filter((other) => other !== scope));
      const { status, json } = await as(key, method, path, body);
      expect([status, json.error.code]).toEqual([403, 'permission_denied']);
      expect(json.error.message).toBe(`The API key lacks the scope ${scope}.`);
    },
  );

  it.each(needs)('the scope %s is enough for %s %s [§5.5, key.scopes]', async (scope, method, path, body) => {
    const key = await createKey([scope]);
    expect((await as(key, method, path, body)).status).not.toBe(403);
  });
});

it('a resource of another workspace gets the same 404 as one that does not exist [workspace.hidden, §7.404, control.workspaces]', async () => {
  const { api_key } = emulator.status();
  const unknown = '01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';
  for (const [method, path, id, body] of [
    ['GET', '/workspaces/', elsewhere.workspaceId],
    ['GET', '/events/', elsewhere.eventId],
    ['GET', '/events?workspace_id=', elsewhere.workspaceId],
    ['POST', '/events', elsewhere.workspaceId, (w: string) => ({ type: 'a.b', workspace_id: w })],
    ['POST', '/webhooks', elsewhere.workspaceId, webhookIn],
  ] as const) {
    const ask = (of: string) => (body ? as(api_key, method, path, body(of)) : as(api_key, method, path + of));
    const hidden = await ask(id);
    const absent = await ask(id.replace(/_.*/, `_${unknown}`));
    expect([hidden.status, hidden.json.error.code]).toEqual([404, 'not_found']);
    expect(hidden.json.error.message.replace(id.replace(/.*_/, ''), unknown)).toBe(absent.json.error.message);
  }
});

describe('a key for every workspace', () => {
  it('a key for all workspaces has access to each of them [§5.3]', async () => {
    for (const id of [workspaceId, elsewhere.workspaceId]) {
      expect((await as(general, 'GET', `/workspaces/${id}`)).status).toBe(200);
      const { json } = await as(general, 'POST', '/events', { type: 'a.b', workspace_id: id });
      expect(json.workspace_id).toBe(id);
      expect((await as(general, 'GET', `/events?workspace_id=${id}`)).json.data[0].id).toBe(json.id);
    }
  });

  it('a request with a key for all workspaces must name a workspace [list.workspace, event.body]', async () => {
    const list = await as(general, 'GET', '/events');
    expect([list.status, list.json.error.code]).toEqual([400, 'invalid_request']);
    const create = await as(general, 'POST', '/events', { type: 'a.b' });
    expect([create.status, create.json.error.code]).toEqual([422, 'validation_failed']);
    for (const { json } of [list, create]) expect(json.error.message).toMatch(/^workspace_id is required/);
  });
});

describe('the two environments', () => {
  it('each environment has its own prefix of keys [§5.2]', async () => {
    await using production = await startTestEmulator({ environment: 'production' });
    expect(emulator.status().api_key).toMatch(/^svc_test_[\w-]{32}$/);
    expect(production.status().api_key).toMatch(/^svc_live_[\w-]{32}$/);
    const { key } = await production.control.createKey({ scopes: ['events:read'] });
    expect(key).toMatch(/^svc_live_/);
  });

  it('neither environment opens the database of the other [§1.environments]', async () => {
    const folder = createTemporaryFolder();
    const db = join(folder, 'sandbox.db');
    await (await startTestEmulator({ db })).close();
    await expect(startTestEmulator({ db, environment: 'production' })).rejects.toMatchObject({
      code: 'database_unusable',
      message: `${db} belongs to the sandbox environment, but this emulator runs as production.`,
    });
    await (await startTestEmulator({ db })).close();
  });

  it('plain HTTP and the wildcard are accepted in the sandbox and rejected in production [§2.webhook.url, §2.webhook.wildcard]', async () => {
    await using production = await startTestEmulator({ environment: 'production' });
    const { workspace_id } = production.status();
    const local = { url: 'http://127.0.0.1:3000/' };
    const all = { events: ['*'] };
    for (const [where, of, change, status] of [
      [emulator, workspaceId, local, 201],
      [emulator, workspaceId, all, 201],
      [production, workspace_id, local, 422],
      [production, workspace_id, { url: 'https://localhost/' }, 422],
      [production, workspace_id, all, 422],
      [production, workspace_id, {}, 201],
    ] as const) {
      const response = await where.api('POST', '/webhooks', { ...webhookIn(of), ...change });
      expect(response.status, response.text).toBe(status);
    }
  });
});

it('the database contains only hashes of keys [§5.1, files.key-hashes]', async () => {
  const folder = createTemporaryFolder();
  const db = join(folder, 'sandbox.db');
  const kept = await startTestEmulator({ db });
  const { key } = await kept.control.createKey({ scopes: ['events:write'] });
  const { workspace_id, api_key } = kept.status();
  const event = { type: 'order.shipped', workspace_id };
  await kept.api('POST', '/events', event, { authorization: `Bearer ${key}` });
  const write = Buffer.concat([readFileSync(db), readFileSync(`${db}-wal`)]);
  await kept.close();
  const bytes = Buffer.concat([write, readFileSync(db)]);
  expect(bytes.includes('order.shipped')).toBe(true);
  for (const text of [key, api_key]) {
    expect(bytes.includes(text)).toBe(false);
    expect(bytes.includes(text.replace(/^svc_test_/, ''))).toBe(false);
  }
});
