import { describe, expect, it } from 'vitest';
import {
  parseApiError,
  type TriggerInput,
  toCommand,
  toRequest,
} from '../../src/dashboard/views/trigger/trigger-input.ts';

const order: TriggerInput = {
  type: 'order.shipped',
  payload: `{"amount":12.50,"note":"it's"}`,
  workspaceId: 'ws_1',
  idempotencyKey: '',
  count: 1,
};

describe('the trigger input', () => {
  it('the trigger input becomes a request body with its numbers unchanged', () => {
    expect(toRequest(order, 1, 'data')).toEqual({
      body: `{"type":"order.shipped","workspace_id":"ws_1","data":{"amount":12.50,"note":"it's"}}`,
      idempotencyKey: '',
    });
  });

  it('the trigger input numbers the idempotency keys of several requests', () => {
    const keyed = { ...order, idempotencyKey: 'k' };
    expect(toRequest(keyed, 1, 'payload').idempotencyKey).toBe('k');
    expect(toRequest({ ...keyed, count: 3 }, 2, 'payload').idempotencyKey).toBe('k-2');
  });

  it('the trigger input becomes a command with only the options that differ from the defaults', () => {
    const data = `'{"amount":12.50,"note":"it'\\''s"}'`;
    expect(toCommand(order, 'ws_1')).toBe(`svc trigger order.shipped --data ${data}`);
    expect(toCommand({ ...order, idempotencyKey: 'a b', count: 3 }, 'ws_2')).toBe(
      `svc trigger order.shipped --data ${data} --workspace ws_1 --idempotency-key 'a b' --count 3`,
    );
  });
});

describe('an error response of the API', () => {
  it('an error response of the API is parsed from the documented format', () => {
    const text = '{"error":{"code":"permission_denied","message":"No.","request_id":"req_1"}}';
    expect(parseApiError(403, text)).toEqual({
      status: 403,
      code: 'permission_denied',
      message: 'No.',
      requestId: 'req_1',
    });
  });

  it.each(['<h1>Bad gateway</h1>', '{}', 'null'])(
    'an error response of the API is parsed from the unexpected body %s',
    (text) => {
      expect(parseApiError(502, text)).toEqual({
        status: 502,
        code: 'unknown',
        message: text,
        requestId: null,
      });
    },
  );
});
