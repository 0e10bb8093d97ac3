/** The control plane over HTTP: paths, methods, statuses and errors. test/emulator/handlers/control-plane.test.ts tests its operations. */
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { H3Event } from 'h3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDisconnectSignal } from '../../src/http/disconnect-signal.ts';
import { controlOperations } from '../../src/operations/control-operations.ts';
import { ApiKeyTable } from '../../src/store/api-keys.ts';
import { createResponseCheck, type ResponseCheck } from '../support/response-check.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';

let emulator: TestEmulator;
let check: ResponseCheck;
const faults: { where: string; fault: unknown }[] = [];
beforeAll(async () => {
  emulator = await startTestEmulator({
    internalErrorLog: { report: (where, fault) => faults.push({ where, fault }) },
  });
  const response = await fetch(`${emulator.status().control_url}/openapi.json`);
  check = createResponseCheck(JSON.parse(await response.text()));
});
afterAll(() => emulator.close());
beforeEach(() => faults.splice(0));
afterEach(() => vi.restoreAllMocks());

/** Sends a request and checks the response against the OpenAPI document. */
async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(emulator.status().control_url + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
  });
  const text = await response.text();
  check({ method, path, status: response.status, headers: response.headers, text });
  return { status: response.status, json: JSON.parse(text) };
}

it('the error for an ID with encoded characters in the path contains the characters', async () => {
  const { status, json } = await ask('GET', '/deliveries/%C3%BC');
  expect([status, json.error.message]).toEqual([404, 'Delivery ü does not exist.']);
});

it('each operation responds as the document describes', async () => {
  const { workspace_id } = emulator.status();
  const { json: webhook } = await emulator.api('POST', '/webhooks', {
    ...{ workspace_id, url: 'http://127.0.0.1:9/', events: ['*'] },
  });
  const { headers } = await emulator.api('POST', '/events', { type: 'a.b' });
  const requestId = headers.get('request-id');
  const { json: key } = await ask('POST', '/keys', { scopes: ['events:read'] });
  const { json: events } = await ask('GET', '/events');
  const { json: deliveries } = await ask('GET', '/deliveries');
  const [{ id: deliveryId }] = deliveries.data;
  const snapshot = join(createTemporaryFolder(), 'state.svc');
  const cases: [number, string, string, unknown?][] = [
    [200, 'GET', '/status'],
    [200, 'GET', '/workspaces?limit=1'],
    [201, 'POST', '/workspaces', { name: 'Second' }],
    [200, 'GET', `/workspaces/${workspace_id}`],
    [200, 'GET', '/keys'],
    [200, 'POST', `/keys/${key.id}/revoke`, {}],
    [200, 'GET', '/webhooks'],
    [201, 'POST', '/webhooks', { url: 'http://127.0.0.1:9/' }],
    [200, 'GET', `/webhooks/${webhook.id}`],
    [200, 'PATCH', `/webhooks/${webhook.id}`, { disabled: false }],
    [200, 'POST', `/webhooks/${webhook.id}/rotate-secret`, {}],
    [200, 'POST', `/webhooks/${webhook.id}/reveal-secret`, {}],
    [202, 'POST', `/webhooks/${webhook.id}/test-event`, { type: 'a.b', payload_text: '{}' }],
    [200, 'GET', `/events/${events.data[0].id}`],
    [200, 'GET', '/deliveries/counts'],
    [200, 'GET', '/overview'],
    [200, 'GET', '/schedule'],
    [200, 'GET', `/deliveries/${deliveryId}`],
    [200, 'POST', '/deliveries/wait', { ids: [deliveryId], timeout_ms: '1ms' }],
    [200, 'GET', `/deliveries/${deliveryId}/explanation`],
    [200, 'POST', `/deliveries/${deliveryId}/probe`],
    [200, 'GET', `/deliveries/${deliveryId}/signature`],
    [200, 'GET', '/fixtures'],
    [200, 'GET', '/fixtures/order.shipped'],
    [202, 'POST', `/deliveries/${deliveryId}/replay`, {}],
    [200, 'POST', `/deliveries/${deliveryId}/verify`, {}],
    [200, 'GET', '/clock'],
    [200, 'PATCH', '/clock', { frozen: true }],
    [200, 'POST', '/clock/advance', { ms: 1 }],
    [200, 'POST', '/clock/next', {}],
    [200, 'POST', '/clock/settle', {}],
    [200, 'GET', '/requests'],
    [200, 'GET', `/requests/${requestId}`],
    [201, 'POST', '/faults', { on: 'request', status: 500, count: 1 }],
    [200, 'GET', '/faults'],
    [200, 'POST', '/faults/clear', {}],
    [200, 'GET', '/diagnosis'],
    [200, 'POST', `/webhooks/${webhook.id}/connect`],
    [200, 'DELETE', `/webhooks/${webhook.id}`],
    [200, 'POST', '/snapshot/save', { path: snapshot }],
    [200, 'POST', '/snapshot/load', { path: snapshot }],
    [200, 'POST', '/reset', {}],
  ];
  for (const [status, method, path, body] of cases) {
    expect((await ask(method, path, body)).status, `${method} ${path}`).toBe(status);
  }
  // `POST /keys`, `GET /events`, `GET /deliveries`, and the operation that stops the emulator: other tests call it.
  expect(cases.length + 4).toBe(Object.keys(controlOperations).length);
});

describe('errors of the control plane', () => {
  it.each<[number, string, string, string, unknown?, Record<string, string>?]>([
    [404, 'not_found', 'POST', ''],
    [404, 'not_found', 'GET', '/nothing'],
    [404, 'not_found', 'DELETE', '/status'],
    [400, 'invalid_request', 'GET', '/deliveries?limit=0'],
    [400, 'invalid_request', 'GET', '/deliveries?status=late'],
    [400, 'invalid_request', 'GET', '/deliveries?response_status=99'],
    [400, 'invalid_request', 'GET', '/status?x=1'],
    [400, 'invalid_request', 'POST', '/keys', '{'],
    [400, 'invalid_request', 'POST', '/keys', '[]'],
    [415, 'unsupported_media_type', 'POST', '/keys', '{}', { 'content-type': 'text/plain' }],
    [413, 'payload_too_large', 'POST', '/keys', `"${'x'.repeat(4 * 1024 * 1024)}"`],
    [422, 'validation_failed', 'POST', '/keys', {}],
    [422, 'validation_failed', 'POST', '/keys', '{"scopes":["events:read"],"__proto__":{}}'],
    [422, 'validation_failed', 'POST', '/workspaces', { name: 7 }],
    [422, 'validation_failed', 'POST', '/clock/advance', {}],
    [422, 'validation_failed', 'POST', '/clock/advance', { ms: 1, to: '2100-01-01T00:00:00Z' }],
    [400, 'usage', 'POST', '/clock/advance', { to: '2000-01-01T00:00:00Z' }],
    [422, 'validation_failed', 'POST', '/clock/advance', '{"ms":1e400}'],
    [400, 'invalid_request', 'GET', '/requests?min_duration_ms=long'],
  ])('the control plane responds with %i %s to %s %s', async (status, code, method, path, body, headers) => {
    const { json, ...response } = await ask(method, path, body, headers);
    expect([response.status, json.error.code]).toEqual([status, code]);
    expect(faults).toEqual([]);
  });

  it('an internal error is logged, and its details are not sent to the client [control.internal-errors]', async () => {
    const fault = new Error('secret detail');
    vi.spyOn(ApiKeyTable.prototype, 'list').mockImplementationOnce(() => {
      throw fault;
    });
    const { status, json } = await ask('GET', '/keys');
    expect([status, json.error.code]).toEqual([500, 'internal_error']);
    expect(JSON.stringify(json)).not.toContain('secret');
    expect(faults).toEqual([{ where: json.error.request_id, fault }]);
  });
});

it('the signal aborts when the connection closes before the response is finished', () => {
  for (const writableFinished of [false, true]) {
    const response = Object.assign(new EventEmitter(), { writableFinished });
    const event = new H3Event(new Request('http://localhost'));
    Object.assign(event.req, { runtime: { node: { res: response } } });
    const signal = createDisconnectSignal(event);
    expect(signal.aborted).toBe(false);
    response.emit('close');
    expect(signal.aborted).toBe(!writableFinished);
  }
});
