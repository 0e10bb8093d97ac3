import { describe, expect, it, onTestFinished } from 'vitest';
import { scopes } from '../../src/domain/credentials.ts';
import type { MatchingFault } from '../../src/emulator/service/faults.ts';
import { toFaultError } from '../../src/http/request-faults.ts';
import { yieldToEventLoop } from '../../src/platform/timers.ts';
import { startTestEmulator, type TestEmulatorOptions } from '../support/test-emulator.ts';

async function open(options: TestEmulatorOptions = {}) {
  const emulator = await startTestEmulator(options);
  onTestFinished(() => emulator.close());
  const { api, control } = emulator;
  return {
    ...emulator,
    /** @returns the status, or `dropped` if the connection was closed without a response. */
    create: (headers = {}) =>
      api('POST', '/events', { type: 'order.shipped' }, headers).then(
        ({ status }) => status,
        (error: Error) => (error.cause as { code: string }).code,
      ),
    countEvents: async () => (await api('GET', '/events')).json.data.length,
    lastRequest: async (method = 'POST') => (await control.listRequests({ limit: 1, method })).data[0],
  };
}

const LOST = 'UND_ERR_SOCKET';

describe('request faults', () => {
  it('a fault responds with the error envelope, performs no operation, and is logged [§7.envelope]', async () => {
    const { api, control, countEvents, lastRequest } = await open();
    const { id } = await control.addFault({
      on: 'request',
      method: 'post',
      path: '/events',
      status: 503,
      count: 1,
    });
    const { status, headers, json } = await api('POST', '/events', { type: 'order.shipped' });
    const requestId = headers.get('request-id');
    expect([status, json]).toEqual([
      503,
      { error: { code: 'internal_error', message: expect.stringContaining(id), request_id: requestId } },
    ]);
    expect(headers.get('retry-after')).toBe('1');
    expect(await countEvents()).toBe(0);
    expect(await lastRequest()).toMatchObject({
      ...{ id: requestId, status: 503, error_code: 'internal_error', fault: { id, kind: 'status' } },
    });
  });

  it('a fault applies only to the method, path, key and workspace that it names', async () => {
    const { api, control, create, status } = await open();
    const { workspace_id } = status();
    const other = await control.createWorkspace({ name: 'Other' });
    const key = await control.createKey({ scopes: [...scopes], workspace_id: other.id });
    const asOther = { authorization: `Bearer ${key.key}` };
    await control.addFault({
      on: 'request',
      api_key_id: key.id,
      method: 'GET',
      path: '/v1/events',
      status: 500,
    });
    await control.addFault({ on: 'request', workspace_id: other.id, method: 'POST', status: 503 });
    await control.addFault({ on: 'request', path: '/workspaces/{id}', status: 429 });
    expect(await create()).toBe(201);
    expect(await create(asOther)).toBe(503);
    const responses = [
      await api('GET', '/events', undefined, asOther),
      await api('GET', '/events'),
      await api('GET', `/workspaces/${workspace_id}`),
    ];
    expect(responses.map((response) => response.status)).toEqual([500, 200, 429]);
  });

  it('a fault does not apply to a request with an unknown key [§5.1]', async () => {
    const { control, create } = await open();
    await control.addFault({ on: 'request', status: 500 });
    expect(await create({ authorization: 'Bearer svc_test_nobody' })).toBe(401);
    expect((await control.listFaults({})).data).toMatchObject([{ applied_count: 0 }]);
  });

  it('a fault leaves the idempotency key of the request unused [§4.3]', async () => {
    const { control, create, countEvents } = await open();
    await control.addFault({ on: 'request', status: 500, count: 1 });
    const key = { 'idempotency-key': 'a' };
    expect([await create(key), await create(key), await create(key)]).toEqual([500, 201, 201]);
    expect(await countEvents()).toBe(1);
  });

  it('a drop before the operation closes the connection, and the operation does not run', async () => {
    const { control, create, countEvents } = await open();
    const { id } = await control.addFault({ on: 'request', method: 'POST', drop: 'before', count: 1 });
    expect(await create()).toBe(LOST);
    expect(await countEvents()).toBe(0);
    const dropped = { status: 0, fault: { id, kind: 'drop-before' } };
    expect((await control.listRequests({ status: 0 })).data).toMatchObject([dropped]);
  });

  it('a drop after the operation closes the connection, and the same idempotency key returns the result [§4.3]', async () => {
    const { control, create, countEvents, lastRequest } = await open();
    const { id } = await control.addFault({ on: 'request', method: 'POST', drop: 'after', count: 1 });
    const key = { 'idempotency-key': 'a' };
    expect(await create(key)).toBe(LOST);
    expect(await lastRequest()).toMatchObject({ status: 201, fault: { id, kind: 'drop-after' } });
    expect([await countEvents(), await create(key), await countEvents()]).toEqual([1, 201, 1]);
  });

  it('a latency fault delays the operation in real time', async () => {
    const { control, create, lastRequest } = await open();
    const { id } = await control.addFault({ on: 'request', method: 'POST', latency_ms: 60 });
    expect(await create()).toBe(201);
    const request = await lastRequest();
    expect(request).toMatchObject({ status: 201, fault: { id, kind: 'latency' } });
    expect(request?.duration_ms).toBeGreaterThanOrEqual(59);
  });

  it.each([
    ['whose key is revoked', 401, 'POST', '/events', 'revokeKey'],
    ['whose key does not exist after a reset', 401, 'POST', '/events', 'reset'],
    ['for a resource that does not exist after a reset', 404, 'GET', '/events/{id}', 'reset'],
    ['whose state is replaced', 201, 'POST', '/events', 'reset'],
  ] as const)(
    'a request %s while a latency fault delays it gets %i, as a later request does',
    async (_, status, method, path, change) => {
      const reported: unknown[] = [];
      const {
        api,
        control,
        status: emulatorStatus,
      } = await open({
        internalErrorLog: { report: (_where, error) => reported.push(error) },
      });
      const { base_url, api_key } = emulatorStatus();
      const { json: event } = await api('POST', '/events', { type: 'order.shipped' });
      const { id, key } = await control.createKey({ scopes: [...scopes] });
      await control.addFault({ on: 'request', latency_ms: 100 });
      const response = fetch(base_url + path.replace('{id}', event.id), {
        method,
        headers: {
          authorization: `Bearer ${status === 401 ? key : api_key}`,
          'content-type': 'application/json',
        },
        ...(method === 'POST' && { body: '{"type":"order.shipped"}' }),
      });
      while ((await control.listFaults({})).data[0]?.applied_count !== 1) await yieldToEventLoop();
      await (change === 'reset' ? control.reset({}) : control.revokeKey({ id }));
      expect((await response).status).toBe(status);
      expect(reported).toEqual([]);
      const { data } = await control.listRequests({ limit: 1 });
      expect(data).toMatchObject([{ status, api_key_id: status === 401 ? null : expect.any(String) }]);
    },
  );

  it('a latency fault does not delay the stop of the emulator', async () => {
    const { control, close, status } = await startTestEmulator();
    await control.addFault({ on: 'request', latency_ms: 86_400_000 });
    const headers = { authorization: `Bearer ${status().api_key}` };
    const response = fetch(`${status().base_url}/events`, { headers });
    await expect.poll(async () => (await control.listFaults({})).data[0]?.applied_count).toBe(1);
    await close();
    expect((await response).status).toBe(200);
  });
});

describe('the error of a fault', () => {
  const toError = (rule: object) =>
    toFaultError({ applied: { id: 'flt_1', kind: 'status' }, rule } as unknown as MatchingFault);

  it.each([
    [429, { 'Retry-After': '1' }],
    [503, { 'Retry-After': '1' }],
    [500, {}],
    [430, {}],
    [504, {}],
  ])('the error with the status %i has the headers %j [rate.headers]', (status, headers) => {
    expect(toError({ status })).toMatchObject({ status, headers });
    expect(Object.keys(toError({ status })?.headers ?? {})).toEqual(Object.keys(headers));
  });

  it('a fault without a status has no error', () => {
    expect(toError({ latency_ms: 1 })).toBeNull();
  });
});
