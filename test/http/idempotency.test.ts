import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { scopes } from '../../src/domain/credentials.ts';
import { IdempotencyTable } from '../../src/store/idempotency.ts';
import { type ApiResponse, startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';

const body = { type: 'order.shipped', payload: { order: 1 } };

let emulator: TestEmulator;
beforeEach(async () => {
  emulator = await startTestEmulator({ internalErrorLog: { report: () => {} } });
});
afterEach(() => emulator.close());

function post(key: string, of: unknown = body, headers = {}): Promise<ApiResponse> {
  return emulator.api('POST', '/events', of, { 'idempotency-key': key, ...headers });
}

async function countEvents(): Promise<number> {
  return (await emulator.api('GET', '/events?limit=100')).json.data.length;
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

  it('a response is stored together with its effect, or neither is [§4.3]', async () => {
    vi.spyOn(IdempotencyTable.prototype, 'save').mockImplementationOnce(() => {
      throw new Error('disk full');
    });
    expect((await post('order-1')).status).toBe(500);
    expect(await countEvents()).toBe(0);
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
});
