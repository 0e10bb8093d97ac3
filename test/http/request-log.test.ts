import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listAll } from '../../src/operations/control-plane.ts';
import { resolveRules } from '../../src/profile/resolve-rules.ts';
import { startTestEmulator, type TestEmulator, type TestEmulatorOptions } from '../support/test-emulator.ts';
import { createTestWallClock } from '../support/test-wall-clock.ts';

async function start(options: TestEmulatorOptions = {}): Promise<TestEmulator> {
  const emulator = await startTestEmulator(options);
  onTestFinished(() => emulator.close());
  return emulator;
}

/** Sends a request to `/v1` (default: without a key). */
async function ask(emulator: TestEmulator, path: string, key?: string): Promise<number> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return (await fetch(emulator.status().base_url + path, { headers })).status;
}

async function listRequests(emulator: TestEmulator) {
  const { control } = emulator;
  return listAll((page) => control.listRequests(page));
}

/** Resolves after the handler of the next request has started. */
function whenRequestArrives(): Promise<void> {
  const channel = 'http.server.request.start';
  return new Promise((resolve) => {
    subscribe(channel, function onRequest() {
      unsubscribe(channel, onRequest);
      setImmediate(resolve);
    });
  });
}

it('the log contains the time at which a request arrived, and the time until its response', async () => {
  const wall = createTestWallClock();
  const emulator = await start({ wall });
  wall.advance(1000);
  const arrivedAt = wall.now();
  const headers = {
    authorization: `Bearer ${emulator.status().api_key}`,
    'content-type': 'application/json',
  };
  const arrived = whenRequestArrives();
  const request = httpRequest(`${emulator.status().base_url}/events`, { method: 'POST', headers });
  request.flushHeaders();
  await arrived;
  wall.advance(500);
  request.end('{}');
  await once(request, 'response');
  expect(await listRequests(emulator)).toMatchObject([
    { at: new Date(arrivedAt).toISOString(), duration_ms: 500 },
  ]);
});

/** Sends a request to `/v1/events` (default: with the default key), and returns its row with headers and bodies. */
async function logRequest(emulator: TestEmulator, { headers, ...init }: RequestInit = {}) {
  const response = await fetch(`${emulator.status().base_url}/events`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${emulator.status().api_key}`,
      'content-type': 'application/json',
      ...headers,
    },
    ...init,
  });
  const id = response.headers.get('request-id') ?? '';
  return emulator.control.getRequest({ id });
}

describe('headers and bodies in the request log', () => {
  it('GET /_svc/requests/{id} returns the request and its response as they were sent', async () => {
    const emulator = await start();
    const body = '{"type":"order.shipped","payload":{"n":1.0}}';
    const headers = { 'user-agent': 'shop/1.2', 'x-trace': 'a' };
    const logged = await logRequest(emulator, { body, headers });
    expect(logged).toMatchObject({
      ...{ method: 'POST', path: '/v1/events', status: 201, error_code: null, error_message: null },
      ...{ user_agent: 'shop/1.2', api_key_name: 'Default key' },
      request: { headers, body, encoding: 'utf8', size_bytes: body.length, truncated: false },
      response: {
        headers: { 'content-type': 'application/json; charset=utf-8', 'request-id': logged.id },
        encoding: 'utf8',
        truncated: false,
      },
    });
    expect(JSON.parse(logged.response?.body ?? '')).toMatchObject({ id: logged.resource_id });
    expect(logged.response?.size_bytes).toBe(logged.response?.body?.length);
  });

  it('the log has the error message, and the body of a request that is rejected', async () => {
    const emulator = await start();
    const invalid = await logRequest(emulator, { body: '{"type":"X"}' });
    expect(invalid).toMatchObject({ status: 422, request: { body: '{"type":"X"}' } });
    expect(invalid.error_message).toContain('type');
    expect(JSON.parse(invalid.response?.body ?? '').error.message).toBe(invalid.error_message);
    const text = await logRequest(emulator, { body: 'a=1', headers: { 'content-type': 'text/plain' } });
    expect(text).toMatchObject({ status: 415, request: { body: 'a=1' } });
    await emulator.control.addFault({ on: 'request', status: 503, count: 1 });
    const failed = await logRequest(emulator, { body: '{"type":"order.shipped"}' });
    expect(failed).toMatchObject({ status: 503, request: { body: '{"type":"order.shipped"}' } });
    expect(failed.error_message).toContain('injected this response');
  });

  it('the log has the resource that a request created or that its path names, if it is an ID', async () => {
    const emulator = await start();
    const { api_key: key, workspace_id } = emulator.status();
    const { resource_id: eventId } = await logRequest(emulator, { body: '{"type":"a.b"}' });
    expect(eventId).toMatch(/^evt_/);
    const unknownId = 'evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';
    const paths = [`/events/${eventId}`, `/workspaces/${workspace_id}`, `/events/${unknownId}`, '/events/x'];
    for (const path of [...paths, '/events', '/nothing']) await ask(emulator, path, key);
    const ids = (await listRequests(emulator)).map(({ resource_id }) => resource_id);
    expect(ids.reverse()).toEqual([eventId, eventId, workspace_id, unknownId, null, null, null]);
  });

  it('the log has no body of a request that is too large or that reads', async () => {
    const emulator = await start({ rules: resolveRules('relaxed', { 'body.limit': '1KiB' }) });
    const { api_key: key } = emulator.status();
    const rejected = await logRequest(emulator, { body: ' '.repeat(1025) });
    expect(rejected).toMatchObject({ status: 413, request: { body: null, size_bytes: null } });
    await ask(emulator, '/events', key);
    const [{ id = '' } = {}] = await listRequests(emulator);
    const { request } = await emulator.control.getRequest({ id });
    expect(request).toMatchObject({ body: null, size_bytes: null });
  });

  it('the log does not contain the secret of an endpoint that was created [files.request-log]', async () => {
    const emulator = await start();
    const { base_url, api_key, workspace_id } = emulator.status();
    const created = await fetch(`${base_url}/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ workspace_id, url: 'http://localhost:3000/', events: ['a.b'] }),
    });
    const { secret } = (await created.json()) as { secret: string };
    expect(secret).toMatch(/^whsec_/);
    const logged = await emulator.control.getRequest({ id: created.headers.get('request-id') ?? '' });
    expect(logged.response?.body).toContain('"secret":"[removed]"');
    expect(JSON.stringify(logged)).not.toContain(secret);
  });
});
