import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { scopes } from '../../src/domain/credentials.ts';
import { IdempotencyTable } from '../../src/store/idempotency.ts';
import { Store } from '../../src/store/store.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { type ApiResponse, startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';
import { createReceiver } from '../support/test-receiver.ts';
import { createTestWallClock } from '../support/test-wall-clock.ts';

const DAY_MS = 24 * 3_600_000;
const body = { type: 'order.shipped', payload: { order: 1 } };

let emulator: TestEmulator;
let internalErrors: unknown[];
const wall = createTestWallClock();
beforeEach(async () => {
  internalErrors = [];
  emulator = await startTestEmulator({
    wall,
    clock: { frozen: false },
    internalErrorLog: { report: (_, fault) => internalErrors.push(fault) },
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await emulator.close();
});

function post(key: string, of: unknown = body, headers = {}, path = '/events'): Promise<ApiResponse> {
  return emulator.api('POST', path, of, { 'idempotency-key': key, ...headers });
}

async function countEvents(of = emulator): Promise<number> {
  return (await of.api('GET', '/events?limit=100')).json.data.length;
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe('a POST with an Idempotency-Key', () => {
  it('a repeated POST runs once and gets the same response each time [§4.3, idempotency.replay]', async () => {
    const first = await post('order-1');
    const second = await post('order-1');
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('request-id')).not.toBe(first.headers.get('request-id'));
    expect(await countEvents()).toBe(1);
  });

  it('a GET ignores the header, even with an invalid key [§4.3, §4.idempotency-key]', async () => {
    const headers = { 'idempotency-key': 'x'.repeat(300) };
    expect((await post('x'.repeat(300))).status).toBe(400);
    expect((await emulator.api('GET', '/events', undefined, headers)).status).toBe(200);
  });

  it('a repeated POST registers an endpoint once and returns its secret again [§4.3, idempotency.replay]', async () => {
    const { workspace_id } = emulator.status();
    const webhook = { workspace_id, url: 'https://hooks.example.com/', events: ['order.shipped'] };
    const first = await post('hook', webhook, {}, '/webhooks');
    const second = await post('hook', webhook, {}, '/webhooks');
    expect(first.json.secret).toMatch(/^whsec_/);
    expect([second.status, second.text]).toEqual([first.status, first.text]);
    expect((await emulator.control.listWebhooks({})).data).toHaveLength(1);
  });

  it('a POST of an event for hundreds of endpoints runs once, even if it is repeated before its response [§4.3, idempotency.conflict]', async () => {
    await using receiver = await createReceiver();
    const webhooks = Array.from({ length: 600 }, (_, index) => ({
      ...{ url: `${receiver.url}/${index}`, events: ['order.shipped'] },
    }));
    const overrides = { 'webhook.limit': 600 };
    const seed = { workspaces: [{ name: 'Large', webhooks }] };
    await using large = await startTestEmulator({ seed, overrides });
    const create = () => large.api('POST', '/events', body, { 'idempotency-key': 'order-1' });
    const [first, second] = await Promise.all([create(), create()]);
    // The repeat gets 409 until the first one is committed.
    expect([first.status, second.status].filter((status) => status !== 409)).toContain(201);
    await large.control.settleClock({});
    const repeated = await create();
    expect([repeated.status, repeated.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect([first.text, second.text]).toContain(repeated.text);
    expect(await countEvents(large)).toBe(1);
    const { data } = await large.control.listEvents({});
    expect(data[0]?.delivery_counts).toEqual({
      ...{ pending: 0, failing: 0, paused: 0, failed: 0, canceled: 0 },
      succeeded: 600,
    });
    expect(receiver.requests).toHaveLength(600);
  });

  it('a POST with the key of a different body gets 422 [idempotency.conflict]', async () => {
    await post('order-1');
    const { status, json } = await post('order-1', { ...body, payload: { order: 2 } });
    expect([status, json.error.code]).toEqual([422, 'idempotency_key_reused']);
    expect(await countEvents()).toBe(1);
  });

  it('a POST gets 409 while the first one is running [idempotency.conflict]', async () => {
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const write = Store.prototype.write;
    const waiting = new Promise<void>((resolve) => {
      vi.spyOn(Store.prototype, 'write').mockImplementationOnce(async function (this: Store, operation) {
        resolve();
        await gate;
        return write.call(this, operation) as never;
      });
    });
    const first = post('order-1');
    await waiting;
    const { status, json, headers } = await post('order-1');
    expect([status, json.error.code]).toEqual([409, 'idempotency_in_progress']);
    expect(headers.get('retry-after')).toBe('1');
    go();
    expect((await first).status).toBe(201);
    expect((await post('order-1')).headers.get('idempotent-replayed')).toBe('true');
  });

  it('fifty simultaneous POSTs run once [§4.3, idempotency.conflict]', async () => {
    const responses = await Promise.all(Array.from({ length: 50 }, () => post('order-1')));
    const done = responses.filter(({ status }) => status === 201);
    expect(responses.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    expect(done.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1);
    expect(await countEvents()).toBe(1);
  });

  it('a key is remembered across a restart [§4.3]', async () => {
    const db = join(createTemporaryFolder(), 'sandbox.db');
    const before = await startTestEmulator({ db });
    const key = { 'idempotency-key': 'order-1' };
    const first = await before.api('POST', '/events', body, key);
    await before.close();
    await using after = await startTestEmulator({ db });
    const second = await after.api('POST', '/events', body, key);
    expect([second.text, second.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect(await countEvents(after)).toBe(1);
  });

  it('a key is remembered for 24 hours of the schedule clock [idempotency.scope]', async () => {
    const first = await post('order-1');
    wall.advance(DAY_MS - 1);
    expect((await post('order-1')).text).toBe(first.text);
    wall.advance(1);
    const second = await post('order-1');
    expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect(second.json.id).not.toBe(first.json.id);
    expect((await post('order-1')).text).toBe(second.text);
  });

  it('a response is stored together with its effect, or neither is [§4.3]', async () => {
    vi.spyOn(IdempotencyTable.prototype, 'save').mockImplementationOnce(() => {
      throw new Error('disk full');
    });
    expect((await post('order-1')).status).toBe(500);
    expect(internalErrors).toEqual([expect.objectContaining({ message: 'disk full' })]);
    expect(await countEvents()).toBe(0);
    const { status, headers } = await post('order-1');
    expect([status, headers.get('idempotent-replayed')]).toEqual([201, null]);
  });

  it('a rejected POST leaves its key unused [idempotency.conflict]', async () => {
    const { key: reader } = await emulator.control.createKey({ scopes: ['events:read'] });
    const { key: general } = await emulator.control.createKey({ scopes: [...scopes] });
    const workspaceId = 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';
    const refused: [number, Promise<ApiResponse>][] = [
      [401, post('order-1', body, bearer('svc_test_none'))],
      [403, post('order-1', body, bearer(reader))],
      [404, post('order-1', { ...body, workspace_id: workspaceId })],
      [415, post('order-1', body, { 'content-type': 'text/plain' })],
      [400, post('order-1', '{')],
      [422, post('order-1', { ...body, type: 'shipped' })],
      [422, post('order-1', body, bearer(general))],
    ];
    for (const [status, response] of refused) expect((await response).status).toBe(status);
    const { status, headers } = await post('order-1', { type: 'order.shipped' });
    expect([status, headers.get('idempotent-replayed')]).toEqual([201, null]);
  });

  it('a POST over the rate limit leaves its key unused [idempotency.conflict]', async () => {
    const overrides = { 'rate.limit': { per_second: 1, burst: 1 } };
    await using limited = await startTestEmulator({ wall, overrides });
    const key = { 'idempotency-key': 'order-1' };
    await limited.api('GET', '/events');
    expect((await limited.api('POST', '/events', { type: 'a.b' }, key)).status).toBe(429);
    wall.advance(1000);
    const { status, headers } = await limited.api('POST', '/events', body, key);
    expect([status, headers.get('idempotent-replayed')]).toEqual([201, null]);
  });
});

describe('an Idempotency-Key', () => {
  it.each([
    ['', 'empty'],
    ['x'.repeat(256), 'of 256 characters'],
    ['caf\u00e9', 'with a letter outside ASCII'],
  ])('the Idempotency-Key %j, %s, gets 400 [idempotency.scope]', async (key) => {
    const { status, json } = await post(key);
    expect([status, json.error.code]).toEqual([400, 'invalid_request']);
    expect(json.error.message).toBe('The Idempotency-Key must be 1 to 255 visible ASCII characters.');
    expect(await countEvents()).toBe(0);
  });

  it.each(['~!"', `"${'x'.repeat(255)}"`])(
    'the Idempotency-Key %j is accepted [idempotency.scope]',
    async (key) => {
      expect((await post(key)).status).toBe(201);
      expect((await post(key)).headers.get('idempotent-replayed')).toBe('true');
    },
  );

  it('a quoted key is the same as a bare one [idempotency.scope]', async () => {
    const first = await post('order-1');
    expect((await post('"order-1"')).text).toBe(first.text);
  });

  it('a request can have only one key [idempotency.scope]', async () => {
    const headers = new Headers({ 'idempotency-key': 'a' });
    headers.append('idempotency-key', 'b');
    expect((await post('', body, Object.fromEntries(headers))).status).toBe(400);
  });

  it('a key belongs to one API key [idempotency.scope]', async () => {
    const { workspace_id } = emulator.status();
    const { key } = await emulator.control.createKey({ scopes: [...scopes], workspace_id });
    const first = await post('order-1');
    const second = await post('order-1', { type: 'invoice.paid' }, bearer(key));
    expect(second.status).toBe(201);
    expect(second.json.id).not.toBe(first.json.id);
  });
});

describe('idempotency.scope', () => {
  const webhook = (of: TestEmulator) => ({
    workspace_id: of.status().workspace_id,
    url: 'https://hooks.example.com/',
    events: ['order.shipped'],
  });
  const key = { 'idempotency-key': 'same' };

  it.each([
    ['api_key_method_path', 201],
    ['api_key', 422],
  ])('scope %s: the key on another path gets %i [idempotency.scope]', async (unique_within, status) => {
    const overrides = { 'idempotency.scope': { unique_within, retention: '24h' } };
    await using other = await startTestEmulator({ overrides });
    await other.api('POST', '/events', body, key);
    expect((await other.api('POST', '/webhooks', webhook(other), key)).status).toBe(status);
  });

  it('a key can be used again after the retention time [idempotency.scope]', async () => {
    const overrides = {
      'idempotency.scope': { unique_within: 'api_key_method_path', retention: '90s' },
    };
    await using other = await startTestEmulator({ overrides, wall, clock: { frozen: false } });
    const first = await other.api('POST', '/events', body, key);
    wall.advance(89_999);
    expect((await other.api('POST', '/events', body, key)).text).toBe(first.text);
    wall.advance(1);
    expect((await other.api('POST', '/events', body, key)).text).not.toBe(first.text);
  });
});
