/** Filters of the request log, and requests that are sent again. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { matchesRequestFilter, RequestFilter } from '../../src/contract/list-filters.ts';
import { startTestEmulator, type TestEmulator, type TestEmulatorOptions } from '../support/test-emulator.ts';

async function start(options: TestEmulatorOptions = {}): Promise<TestEmulator> {
  const emulator = await startTestEmulator(options);
  onTestFinished(() => emulator.close());
  return emulator;
}

const event = { type: 'order.shipped', payload: { n: 1 } };

/** Creates an event and returns the ID of the request. */
async function createEvent(emulator: TestEmulator, headers: Record<string, string> = {}): Promise<string> {
  const response = await emulator.api('POST', '/events', event, headers);
  return response.headers.get('request-id') ?? '';
}

describe('GET /_svc/requests', () => {
  it('the list and the filter of live requests select the same requests', async () => {
    const emulator = await start();
    const { control } = emulator;
    const { key, id: keyId } = await control.createKey({ name: 'Reader', scopes: ['events:read'] });
    const authorization = `Bearer ${key}`;
    const requestId = await createEvent(emulator);
    await emulator.api('GET', '/events?limit=3', undefined, { authorization });
    await emulator.api('POST', '/events', event, { authorization });
    await emulator.api('GET', '/nothing');
    const { data } = await control.listRequests({});
    const filters = [
      { method: 'POST' },
      { path: '/v1/events' },
      { path: '/events' },
      { path: 'limit=' },
      { path: 'vents?' },
      { path: "'%_" },
      { status: '4xx' as const },
      { status: 201 },
      { api_key_id: keyId },
      { api_key_name: 'Reader' },
      { api_key_name: 'Default key', method: 'POST' },
      { request_id: requestId },
      { min_duration_ms: 0 },
      { workspace_id: emulator.status().workspace_id },
      { resource_id: data.find(({ resource_id }) => resource_id !== null)?.resource_id ?? '' },
      { since: data.at(-1)?.at ?? '' },
      { since: '9000-01-01T00:00:00.000Z' },
    ];
    const fields = new Set(filters.flatMap((filter) => Object.keys(filter)));
    expect([...fields].sort()).toEqual(Object.keys(RequestFilter).sort());
    const counts = [];
    for (const filter of filters) {
      const since = filter.since === undefined ? undefined : Date.parse(filter.since);
      const listed = (await control.listRequests(filter)).data;
      expect(listed, JSON.stringify(filter)).toEqual(
        data.filter((request) => matchesRequestFilter({ ...filter, since }, request)),
      );
      counts.push(listed.length);
    }
    expect(counts).toEqual([2, 3, 0, 1, 1, 0, 3, 1, 2, 2, 1, 1, 4, 1, 1, 4, 0]);
    expect((await control.listRequests({ method: 'post' })).data).toHaveLength(2);
  });
});

describe('POST /_svc/requests/{id}/resend', () => {
  it('a request is sent again with the same path, body and API key, as a new request', async () => {
    const emulator = await start();
    const { control } = emulator;
    const { key, id: keyId } = await control.createKey({ name: 'Writer', scopes: ['events:write'] });
    const { workspace_id } = emulator.status();
    const body = { ...event, workspace_id };
    const first = await emulator.api('POST', '/events', body, { authorization: `Bearer ${key}` });
    const id = first.headers.get('request-id') ?? '';
    const resent = await control.resendRequest({ id });
    expect(resent).toMatchObject({
      ...{ method: 'POST', path: '/v1/events', status: 201, api_key_id: keyId, api_key_name: 'Writer' },
      request: { body: JSON.stringify(body), headers: { 'svc-resend-of': id } },
    });
    expect(resent.id).not.toBe(id);
    expect(resent.resource_id).not.toBe(first.json.id);
    const { data } = await control.listEvents({});
    expect(data.map((each) => each.request_id)).toEqual([resent.id, id]);
  });

  it('a request with an Idempotency-Key gets a new one, unless the same is asked for', async () => {
    const emulator = await start();
    const id = await createEvent(emulator, { 'idempotency-key': 'order-7' });
    const original = await emulator.control.getRequest({ id });
    const repeated = await emulator.control.resendRequest({ id, keep_idempotency_key: true });
    expect(repeated.resource_id).toBe(original.resource_id);
    expect(repeated.request?.headers['idempotency-key']).toBe('order-7');
    expect(repeated.response?.headers['idempotent-replayed']).toBe('true');
    const fresh = await emulator.control.resendRequest({ id });
    expect(fresh.resource_id).not.toBe(original.resource_id);
    expect(fresh.request?.headers['idempotency-key']).not.toBe('order-7');
  });

  it('a request without an Idempotency-Key is sent again without one', async () => {
    const emulator = await start();
    const resent = await emulator.control.resendRequest({ id: await createEvent(emulator) });
    expect(resent.request?.headers).not.toHaveProperty('idempotency-key');
  });

  it('a request that failed because of a fault succeeds when it is sent again', async () => {
    const emulator = await start();
    await emulator.control.addFault({ on: 'request', status: 503, count: 1 });
    const id = await createEvent(emulator);
    expect((await emulator.control.getRequest({ id })).status).toBe(503);
    expect((await emulator.control.resendRequest({ id })).status).toBe(201);
  });

  it('a fault can drop a request that is sent again', async () => {
    const emulator = await start();
    const id = await createEvent(emulator);
    await emulator.control.addFault({ on: 'request', drop: 'before', count: 1 });
    await expect(emulator.control.resendRequest({ id })).resolves.toMatchObject({
      status: 0,
      response: null,
    });
  });

  it('a rejected request with an unusual body is sent again with the same bytes and type', async () => {
    const emulator = await start();
    const bytes = new Uint8Array([0xff, 0x00, 0x7b]);
    const response = await emulator.api('POST', '/events', bytes, { 'content-type': 'text/plain' });
    const id = response.headers.get('request-id') ?? '';
    await expect(emulator.control.resendRequest({ id })).resolves.toMatchObject({
      ...{ status: 415, request: { body: '/wB7', encoding: 'base64', size_bytes: 3 } },
    });
  });

  it('a request without a valid key is sent again with the default key', async () => {
    const emulator = await start();
    const rejected = await emulator.api('GET', '/events', undefined, { authorization: 'Bearer svc_test_x' });
    const id = rejected.headers.get('request-id') ?? '';
    await expect(emulator.control.resendRequest({ id })).resolves.toMatchObject({
      ...{ status: 200, api_key_name: 'Default key' },
    });
  });

  it('a request of a revoked key is rejected when it is sent again', async () => {
    const emulator = await start();
    const { control } = emulator;
    const { key, id: keyId } = await control.createKey({ scopes: ['events:read'] });
    const { workspace_id } = emulator.status();
    const path = `/events?workspace_id=${workspace_id}`;
    const response = await emulator.api('GET', path, undefined, { authorization: `Bearer ${key}` });
    await control.revokeKey({ id: keyId });
    const resent = await control.resendRequest({ id: response.headers.get('request-id') ?? '' });
    expect(resent).toMatchObject({ status: 401, error_message: 'The API key has been revoked.' });
  });

  it('a request can be sent again while other machines can reach the emulator', async () => {
    const emulator = await start({ host: '0.0.0.0' });
    const resent = await emulator.control.resendRequest({ id: await createEvent(emulator) });
    expect(resent.status).toBe(201);
  });

  it.each([
    ['its body was not read', 'POST', '/events', { authorization: 'Bearer svc_test_x' }],
    ['its query contained a secret', 'GET', '/events?api_key=svc_test_abcdefghijklmnop', {}],
    ['only a part of it is stored', 'GET', `/events?${'x'.repeat(3_000)}`, {}],
    ['requests with the method TRACE are not supported', 'TRACE', '/events', {}],
  ])('a request cannot be sent again if %s', async (problem, method, path, headers) => {
    const emulator = await start();
    const { request } = await import('node:http');
    const { base_url, api_key } = emulator.status();
    const id = await new Promise<string>((resolve, reject) => {
      request(base_url + path, { method, headers: { authorization: `Bearer ${api_key}`, ...headers } })
        .on('response', (response) => resolve(String(response.resume().headers['request-id'])))
        .on('error', reject)
        .end();
    });
    await expect(emulator.control.resendRequest({ id })).rejects.toMatchObject({
      ...{
        code: 'conflict',
        message: expect.stringContaining(`${id} cannot be sent again, because ${problem}`),
      },
    });
  });

  it('an unknown request is not found', async () => {
    const emulator = await start();
    const id = 'req_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';
    const error = { code: 'not_found', message: `Request ${id} does not exist.` };
    await expect(emulator.control.resendRequest({ id })).rejects.toMatchObject(error);
    await expect(emulator.control.getRequest({ id })).rejects.toMatchObject(error);
  });
});
