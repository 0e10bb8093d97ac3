import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { SvcError } from '../../src/domain/errors.ts';
import { DeliveryTable } from '../../src/store/deliveries.ts';
import { EventTable } from '../../src/store/events.ts';
import { Store } from '../../src/store/store.ts';
import { parseResponseBody, sendRawRequest } from '../support/raw-request.ts';
import { type ApiResponse, startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';

let emulator: TestEmulator;
let api: TestEmulator['api'];
const faults: { where: string; fault: unknown }[] = [];
beforeAll(async () => {
  emulator = await startTestEmulator({
    internalErrorLog: { report: (where, fault) => faults.push({ where, fault }) },
  });
  api = emulator.api;
});
afterAll(() => emulator.close());
beforeEach(() => faults.splice(0));
afterEach(() => vi.restoreAllMocks());

/** Status and code of a response whose body has exactly the fields of §7. */
function codeOf({ status, json }: Pick<ApiResponse, 'status' | 'json'>): [number, string] {
  expect(json).toEqual({
    error: {
      code: expect.stringMatching(/^[a-z]+(_[a-z]+)*$/),
      message: expect.stringMatching(/^\S.*\.$/s),
      request_id: expect.stringMatching(/^req_/),
    },
  });
  return [status, json.error.code];
}

const json = { 'content-type': 'application/json' };

describe('error responses', () => {
  const event = '{"type":"a.b"}';
  it.each<[string, [number, string], string, string, unknown?, Record<string, string>?]>([
    ['no such path', [404, 'not_found'], 'GET', '/nothing'],
    ['only the version', [404, 'not_found'], 'GET', ''],
    ['a path too deep', [404, 'not_found'], 'GET', '/events/a/b'],
    ['an empty segment', [404, 'not_found'], 'GET', '//events'],
    ['no such event', [404, 'not_found'], 'GET', '/events/evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
    ['a path that is not an id', [404, 'not_found'], 'GET', '/events/%3Cscript%3E'],
    ['no such workspace', [404, 'not_found'], 'GET', '/workspaces/ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'],
    ['a path that is not UTF-8', [400, 'invalid_request'], 'GET', '/events/%E0%A4%A'],
    ['a bad query', [400, 'invalid_request'], 'GET', '/events?limit=0'],
    ['a query on a resource', [400, 'invalid_request'], 'GET', '/events/evt_1?x=1'],
    ['no key', [401, 'unauthenticated'], 'GET', '/events', undefined, { authorization: '' }],
    ['no JSON', [400, 'invalid_request'], 'POST', '/events', '{"type":'],
    ['no body', [400, 'invalid_request'], 'POST', '/events', '', json],
    ['no object', [400, 'invalid_request'], 'POST', '/events', '[]'],
    ['text', [415, 'unsupported_media_type'], 'POST', '/events', event, { 'content-type': 'text/plain' }],
    ['a body over the limit', [413, 'payload_too_large'], 'POST', '/events', `"${'x'.repeat(256 * 1024)}"`],
    ['a missing field', [422, 'validation_failed'], 'POST', '/events', {}],
    ['a field of another type', [422, 'validation_failed'], 'POST', '/events', { type: 7 }],
  ])(
    'the error for %s has exactly code, message and request_id [§7.envelope, error.codes, §7.404, §2.request-body]',
    async (_, expected, method, path, body, headers) => {
      expect(codeOf(await api(method, path, body, headers))).toEqual(expected);
    },
  );
});

describe('a slash at the end of a path', () => {
  it.each([
    ['GET', '/events/'],
    ['POST', '/webhooks/'],
    ['GET', '/events//'],
    ['GET', '/'],
  ])('a slash at the end makes %s %s a different path, which gets 404 [path.slash]', async (method, path) => {
    const response = await api(method, path, method === 'GET' ? undefined : { type: 'a.b' });
    expect(codeOf(response)).toEqual([404, 'not_found']);
  });

  it('a slash at the end makes the path of an existing workspace a different path [path.slash]', async () => {
    const { workspace_id: id } = emulator.status();
    expect((await api('GET', `/workspaces/${id}`)).status).toBe(200);
    expect((await api('GET', `/workspaces/${id}/`)).status).toBe(404);
  });
});

it.each([
  ['PUT', '/events', 'POST, GET'],
  ['DELETE', '/events', 'POST, GET'],
  ['PATCH', '/webhooks', 'POST'],
  ['GET', '/webhooks', 'POST'],
  ['POST', '/events/evt_1', 'GET'],
  ['OPTIONS', '/workspaces/ws_1', 'GET'],
  ['HEAD', '/events', 'POST, GET'],
])('another method is rejected: %s %s, allowed are %s [error.codes]', async (method, path, allowed) => {
  const response = await api(method, path);
  expect([response.status, response.headers.get('allow')]).toEqual([405, allowed]);
  if (method !== 'HEAD') expect(codeOf(response)).toEqual([405, 'method_not_allowed']);
});

describe('an internal error', () => {
  it('an internal error is logged, and its details are not sent [error.codes, §7.envelope]', async () => {
    const fault = new TypeError('secret detail of /home/me/src/x.ts');
    vi.spyOn(EventTable.prototype, 'list').mockImplementationOnce(() => {
      throw fault;
    });
    const response = await api('GET', '/events');
    expect(codeOf(response)).toEqual([500, 'internal_error']);
    expect(response.text).not.toMatch(/secret|TypeError|\.ts\b| at /);
    expect(faults).toEqual([{ where: response.json.error.request_id, fault }]);
    expect((await api('GET', '/events')).status).toBe(200);
  });

  it('an internal error during a write rolls the write back [error.codes, event.emission]', async () => {
    await emulator.control.createWebhook({ url: 'http://127.0.0.1:9/' });
    vi.spyOn(DeliveryTable.prototype, 'insert').mockImplementationOnce(() => {
      throw new Error('no');
    });
    expect(codeOf(await api('POST', '/events', { type: 'fault.inside' }))).toEqual([500, 'internal_error']);
    expect((await api('GET', '/events?type=fault.inside')).json.data).toEqual([]);
  });

  it('an error of the store gets 503 and is logged [error.codes]', async () => {
    const full = new SvcError('storage_unavailable', 'Writing to the database failed: disk is full.');
    vi.spyOn(Store.prototype, 'write').mockRejectedValueOnce(full);
    const response = await api('POST', '/events', { type: 'a.b' });
    expect(codeOf(response)).toEqual([503, 'storage_unavailable']);
    expect(faults).toEqual([{ where: response.json.error.request_id, fault: full }]);
  });

  it('an internal error in a document gets the same error envelope [error.codes]', async () => {
    const { stringify } = JSON;
    // The emulator can write JSON of earlier requests meanwhile.
    vi.spyOn(JSON, 'stringify').mockImplementation((value, ...options) => {
      if (Object.hasOwn(Object(value), 'openapi')) throw new Error('secret detail');
      return stringify(value, ...(options as []));
    });
    const response = await fetch(`${emulator.status().url}/openapi.json`);
    const body = JSON.parse(await response.text());
    expect(codeOf({ status: response.status, json: body })).toEqual([500, 'internal_error']);
    expect(faults).toEqual([{ where: body.error.request_id, fault: expect.any(Error) }]);
  });
});

describe('a request that Node.js rejects', () => {
  const event = 'POST /v1/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n';
  it.each([
    ['no HTTP', 'NONSENSE\r\n\r\n'],
    ['a control character in a header', `${event}X-A: a\0b\r\n\r\n`],
    ['headers of 20 KB', `${event}X-A: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['two lengths', `${event}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`],
    ['a broken chunk', `${event}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`],
  ])('a malformed request gets the error envelope: %s [§7.envelope, error.codes]', async (_, bytes) => {
    const response = await sendRawRequest(emulator.status().url, bytes);
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toMatch(/^request-id: req_/im);
    expect(response).toContain('X-Content-Type-Options: nosniff');
    expect(codeOf({ status: 400, json: parseResponseBody(response) })).toEqual([400, 'invalid_request']);
    expect(faults).toEqual([]);
  });

  it('an unknown expectation is ignored [§7.envelope]', async () => {
    const response = await sendRawRequest(emulator.status().url, `${event}Expect: tea\r\n\r\n`);
    expect(codeOf({ status: 401, json: parseResponseBody(response) })).toEqual([401, 'unauthenticated']);
  });

  it('a client that disconnects within its body causes no internal error [error.codes]', async () => {
    const { url, api_key } = emulator.status();
    await emulator.control.listRequests({}); // flushes pending entries to the log
    const done = new AbortController();
    const requests = emulator.control.stream({ types: 'request' }, done.signal)[Symbol.asyncIterator]();
    const logged = requests.next();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    const head = `${event}Authorization: Bearer ${api_key}\r\nContent-Type: application/json\r\n`;
    socket.write(`${head}Content-Length: 9\r\n\r\n{"`, () => socket.destroy());
    expect((await logged).value).toMatchObject({ request: { status: 400, error_code: 'invalid_request' } });
    done.abort();
    expect(faults).toEqual([]);
  });
});
