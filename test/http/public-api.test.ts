import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';

const ulid = '[0-7][0-9A-HJKMNP-TV-Z]{25}';
const idOf = (prefix: string) => new RegExp(`^${prefix}${ulid}$`);
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let emulator: TestEmulator;
let workspaceId: string;
let api: TestEmulator['api'];
beforeAll(async () => {
  emulator = await startTestEmulator();
  workspaceId = emulator.status().workspace_id;
  api = emulator.api;
});
afterAll(() => emulator.close());

/** Nothing listens at its address. */
const webhook = (more: object = {}) => ({
  workspace_id: workspaceId,
  url: 'http://127.0.0.1:9/in',
  events: ['order.shipped'],
  ...more,
});

describe('the addresses', () => {
  it('the base address ends in /v1 [§1.base-address, §9.version]', async () => {
    const { url, base_url } = emulator.status();
    expect(base_url).toBe(`${url}/v1`);
    expect((await api('GET', `/workspaces/${workspaceId}`)).status).toBe(200);
  });

  it.each(['/v2/events', '/v0/events', '/events', '/V1/events', '/v1.0/events', '/v11/events'])(
    '%s is not found, because /v1 is the only version [version, §9.version]',
    async (path) => {
      const { url, api_key } = emulator.status();
      const response = await fetch(url + path, { headers: { authorization: `Bearer ${api_key}` } });
      expect([response.status, await response.json()]).toEqual([
        404,
        { error: expect.objectContaining({ code: 'not_found' }) },
      ]);
    },
  );

  it('the API has three kinds of resource and five operations [§1.resources, §4.6]', async () => {
    const response = await fetch(`${emulator.status().url}/openapi.json`);
    const document = JSON.parse(await response.text());
    const operations = Object.entries<object>(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(operations.sort()).toEqual([
      'GET /events',
      'GET /events/{id}',
      'GET /workspaces/{id}',
      'POST /events',
      'POST /webhooks',
    ]);
  });

  it.each([
    ['GET', '/webhooks/wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
    ['DELETE', '/webhooks/wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
    ['GET', '/deliveries'],
    ['GET', '/workspaces'],
  ])('the API has no %s %s [§4.6, webhook.operations]', async (method, path) => {
    const { status, json } = await api(method, path);
    const message = `${method} /v1${path} does not exist.`;
    expect([status, json.error.code, json.error.message]).toEqual([404, 'not_found', message]);
  });
});

it('GET /workspaces/{id} returns the workspace [§4.get-workspace, §2.workspace, workspace.record]', async () => {
  const { status, json } = await api('GET', `/workspaces/${workspaceId}`);
  expect(status).toBe(200);
  expect(json).toEqual({
    id: expect.stringMatching(idOf('ws_')),
    name: 'Default workspace',
    environment: 'sandbox',
    created_at: expect.stringMatching(timestamp),
  });
});

describe('POST /events', () => {
  it('POST /events creates and returns an event [§4.create-event, §2.event, event.record, §2.timestamps]', async () => {
    const payload = { order: { id: 7, items: [{ sku: 'é' }] } };
    const { status, json } = await api('POST', '/events', { type: 'order.shipped', payload });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.stringMatching(idOf('evt_')),
      workspace_id: workspaceId,
      type: 'order.shipped',
      payload,
      created_at: expect.stringMatching(timestamp),
    });
  });

  it('POST /events uses an empty payload and the workspace of the key by default [event.body]', async () => {
    const { json } = await api('POST', '/events', { type: 'order.shipped' });
    expect(json).toMatchObject({ workspace_id: workspaceId, payload: {} });
  });

  it('only POST /events emits an event [event.emission]', async () => {
    const before = await api('GET', '/events?limit=1');
    await api('GET', `/workspaces/${workspaceId}`);
    await api('POST', '/webhooks', webhook());
    await emulator.control.createWorkspace({ name: 'Another' });
    expect((await api('GET', '/events?limit=1')).text).toBe(before.text);
  });
});

it('GET /events/{id} returns the same text as the creation [§4.get-event]', async () => {
  const body = '{"type": "order.shipped", "payload": {"n": 9007199254740993, "x": [1e400, 1.50]}}';
  const created = await api('POST', '/events', body);
  const { status, text } = await api('GET', `/events/${created.json.id}`);
  expect(status).toBe(200);
  expect(text).toBe(created.text);
  expect(text).toContain('"payload":{"n":9007199254740993,"x":[1e400,1.50]}');
});

describe('POST /webhooks', () => {
  it('POST /webhooks returns the endpoint and its secret [§4.create-webhook, §2.webhook.id, §2.webhook.workspace-id, webhook.record]', async () => {
    const { status, json } = await api('POST', '/webhooks', webhook());
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.stringMatching(idOf('wh_')),
      workspace_id: workspaceId,
      url: 'http://127.0.0.1:9/in',
      events: ['order.shipped'],
      secret: expect.any(String),
      created_at: expect.stringMatching(timestamp),
    });
  });

  it('each endpoint has its own secret, which differs from the API key [secret.format, §2.webhook.secret-separate]', async () => {
    const secrets = [];
    for (let i = 0; i < 3; i++) secrets.push((await api('POST', '/webhooks', webhook())).json.secret);
    expect(secrets).toEqual(Array(3).fill(expect.stringMatching(/^whsec_[\w-]{43}$/)));
    expect(new Set([...secrets, emulator.status().api_key]).size).toBe(4);
  });

  it('only the creation response contains the secret [§2.webhook.secret]', async () => {
    const { json } = await api('POST', '/webhooks', webhook());
    const { control } = emulator;
    const later = [
      await control.getWebhook({ id: json.id }),
      await control.updateWebhook({ id: json.id, disabled: true }),
      await control.listWebhooks({}),
    ];
    expect(JSON.stringify(later)).toContain(json.id);
    expect(JSON.stringify(later)).not.toContain(json.secret);
  });

  it.each(['workspace_id', 'url', 'events'])(
    'POST /webhooks requires %s [§4.create-webhook.body]',
    async (name) => {
      const { status, json } = await api('POST', '/webhooks', webhook({ [name]: undefined }));
      expect([status, json.error.code, json.error.message]).toEqual([
        422,
        'validation_failed',
        `${name} is required.`,
      ]);
    },
  );

  it.each([
    [['shipped'], 'events[0]'],
    [['order.shipped', 'Order.Paid'], 'events[1]'],
    [['order.*'], 'events[0]'],
    [['order.shipped.twice'], 'events[0]'],
    [['order.shipped', 7], 'events[1]'],
    [[], 'events'],
    [['order.shipped', 'order.shipped'], 'events'],
    [Array.from({ length: 101 }, (_, i) => `order.n${i}`), 'events'],
    ['order.shipped', 'events'],
  ])(
    'POST /webhooks rejects the subscriptions %j and names the invalid one [§2.webhook.events, error.codes]',
    async (events, path) => {
      const { status, json } = await api('POST', '/webhooks', webhook({ events }));
      expect([status, json.error.code]).toEqual([422, 'validation_failed']);
      expect(json.error.message.startsWith(`${path} must `)).toBe(true);
    },
  );
});

describe('every response', () => {
  it('every response is a JSON object with snake_case fields [§2.response-body, §2.field-names]', async () => {
    const responses = [
      await api('GET', `/workspaces/${workspaceId}`),
      await api('POST', '/events', { type: 'a.b' }),
      await api('GET', '/events'),
      await api('POST', '/webhooks', webhook()),
      await api('GET', '/nothing'),
    ];
    const names = responses.flatMap(({ text }) => {
      const ids: string[] = [];
      JSON.parse(text, (name, value) => {
        if (name !== '' && !/^\d+$/.test(name)) ids.push(name);
        return value;
      });
      return ids;
    });
    expect(names.length).toBeGreaterThan(25);
    expect(names.filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([]);
    expect(responses.map(({ headers }) => headers.get('content-type'))).toEqual(
      Array(5).fill('application/json; charset=utf-8'),
    );
  });

  it('every response has its own Request-Id, which an error repeats [request.id, §2.ids.request, §7.envelope]', async () => {
    const responses = [
      await api('GET', '/events'),
      await api('GET', '/events'),
      await api('GET', '/nothing'),
    ];
    const ids = responses.map(({ headers }) => headers.get('request-id'));
    expect(ids).toEqual(Array(3).fill(expect.stringMatching(idOf('req_'))));
    expect(new Set(ids).size).toBe(3);
    expect(responses[2]?.json.error.request_id).toBe(ids[2]);
  });

  it('a response of a page or a document outside of the API has a Request-Id [request.id]', async () => {
    const { url } = emulator.status();
    for (const path of ['/', '/healthz', '/openapi.json', '/_svc/openapi.json', '/_svc/status', '/_svc/no']) {
      const response = await fetch(url + path);
      expect(response.headers.get('request-id'), path).toMatch(idOf('req_'));
    }
  });
});
