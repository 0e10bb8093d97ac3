import { describe, expect, it } from 'vitest';
import { deliveryFaultKinds } from '../../src/domain/fault.ts';
import {
  type FaultRule,
  findFaultProblem,
  findRouteProblem,
  matchesDelivery,
  matchesRequest,
  toFaultKind,
} from '../../src/resources/fault.ts';

const onRequest = { on: 'request', probability: 1 } as const;
const onDelivery = { on: 'delivery', probability: 1 } as const;

describe('findFaultProblem', () => {
  const findProblem = (rule: FaultRule) => {
    const found = findFaultProblem(rule);
    return found && `${found.field} ${found.problem}`;
  };

  it.each<Omit<FaultRule, 'probability'>>([
    { on: 'request', status: 503 },
    { on: 'request', status: 429, error_code: 'rate_limited', latency_ms: 100 },
    { on: 'request', latency_ms: 100 },
    { on: 'request', drop: 'before' },
    { on: 'request', drop: 'after', latency_ms: 100 },
    { on: 'request', status: 503, workspace_id: 'ws_1', method: 'GET', path: '/events', api_key_id: 'key_1' },
    { on: 'delivery', kind: 'drop', workspace_id: 'ws_1', webhook_id: 'wh_1', type: 'a.b' },
    { on: 'delivery', kind: 'delay', delay_ms: 100 },
    { on: 'delivery', kind: 'reorder', delay_ms: 100 },
    { on: 'delivery', kind: 'slow-body', delay_ms: 100 },
    { on: 'delivery', kind: 'slow-body' },
    { on: 'delivery', kind: 'error-response' },
    { on: 'delivery', kind: 'error-response', status: 500 },
  ])('the fault %j is valid', (rule) => {
    expect(findProblem({ ...rule, probability: 1 })).toBeNull();
  });

  it.each<[Partial<FaultRule>, string]>([
    [{ kind: 'drop' }, 'kind applies only to faults in deliveries'],
    [{ webhook_id: 'wh_1' }, 'webhook_id applies only to faults in deliveries'],
    [{ type: 'a.b' }, 'type applies only to faults in deliveries'],
    [{ delay_ms: 0 }, 'delay_ms applies only to faults in deliveries'],
    [{}, 'status is required unless the fault has a latency or drops the request'],
    [{ error_code: 'conflict' }, 'status is required unless the fault has a latency or drops the request'],
    [{ error_code: 'conflict', latency_ms: 100 }, 'error_code needs a status'],
    [{ error_code: 'conflict', drop: 'after' }, 'error_code needs a status'],
    [
      { status: 503, drop: 'after' },
      'drop cannot be combined with a status: a dropped request has no response',
    ],
  ])('a fault on requests with %j is invalid: %s', (fields, problem) => {
    expect(findProblem({ ...onRequest, ...fields })).toBe(problem);
  });

  it.each<[Partial<FaultRule>, string]>([
    [{ method: 'GET' }, 'method applies only to faults in requests'],
    [{ path: '/events' }, 'path applies only to faults in requests'],
    [{ api_key_id: 'key_1' }, 'api_key_id applies only to faults in requests'],
    [{ error_code: 'conflict' }, 'error_code applies only to faults in requests'],
    [{ latency_ms: 0 }, 'latency_ms applies only to faults in requests'],
    [{ drop: 'before' }, 'drop applies only to faults in requests'],
    [{}, `kind must be one of ${deliveryFaultKinds.join(', ')}`],
    [{ kind: 'timeout', delay_ms: 100 }, 'delay_ms applies only to the kinds delay, reorder, slow-body'],
    [
      { kind: 'timeout', status: 500 },
      'status applies only to faults in requests and to the kind error-response',
    ],
  ])('a fault on deliveries with %j is invalid: %s', (fields, problem) => {
    expect(findProblem({ ...onDelivery, ...fields })).toBe(problem);
  });
});

describe('findRouteProblem', () => {
  const routes = [
    { method: 'GET', path: '/v1/events' },
    { method: 'POST', path: '/v1/events' },
    { method: 'GET', path: '/v1/events/{id}' },
    { method: 'DELETE', path: '/v1/webhooks/{id}' },
  ];
  const findProblem = (fields: Partial<FaultRule>) => {
    const found = findRouteProblem({ ...onRequest, ...fields }, routes);
    return found && `${found.field} must be ${found.expected}`;
  };
  const noPath = 'path must be the path of an API operation: /v1/events, /v1/events/{id}, /v1/webhooks/{id}';

  it.each([
    {},
    { method: 'DELETE' },
    { path: '/events' },
    { path: '/v1/events/evt_1' },
    { path: '/events/*' },
    { path: '/*/{any}', method: 'DELETE' },
    { path: '/events', method: 'POST' },
  ])('an operation matches a fault with %j', (fields) => {
    expect(findProblem(fields)).toBeNull();
  });

  it.each([
    [{ path: '/event' }, noPath],
    [{ path: '/events/' }, noPath],
    [{ path: '/webhooks' }, noPath],
    [{ path: '/events/a/b' }, noPath],
    [{ path: '/' }, noPath],
    [{ path: '/event', method: 'PUT' }, noPath],
    [{ method: 'PUT' }, 'method must be a method of an API operation: GET, POST, DELETE'],
    [{ path: '/events', method: 'DELETE' }, 'method must be a method of that path: GET, POST'],
    [{ path: '/events/evt_1', method: 'POST' }, 'method must be a method of that path: GET'],
  ])('no operation matches a fault with %j: %s', (fields, problem) => {
    expect(findProblem(fields)).toBe(problem);
  });
});

describe('the requests and deliveries that a fault applies to', () => {
  const request = { method: 'GET', path: '/v1/events', apiKeyId: 'key_1', workspaceId: 'ws_1' };
  const delivery = { workspaceId: 'ws_1', webhookId: 'wh_1', type: 'order.paid' };

  it.each<[Partial<FaultRule>, boolean]>([
    [{}, true],
    [{ workspace_id: 'ws_1', api_key_id: 'key_1', method: 'GET', path: '/events' }, true],
    [{ workspace_id: 'ws_2' }, false],
    [{ api_key_id: 'key_2' }, false],
    [{ method: 'POST' }, false],
    [{ path: '/webhooks' }, false],
  ])('a fault with %j applies to a request: %s', (fields, applies) => {
    expect(matchesRequest({ ...onRequest, ...fields }, request)).toBe(applies);
  });

  it('a fault of a workspace does not apply to a request with a key for all workspaces', () => {
    const rule = { ...onRequest, workspace_id: 'ws_1' };
    expect(matchesRequest(rule, { ...request, workspaceId: null })).toBe(false);
  });

  it.each<[Partial<FaultRule>, boolean]>([
    [{}, true],
    [{ workspace_id: 'ws_1', webhook_id: 'wh_1', type: 'order.paid' }, true],
    [{ workspace_id: 'ws_2' }, false],
    [{ webhook_id: 'wh_2' }, false],
    [{ type: 'order.shipped' }, false],
  ])('a fault with %j applies to a delivery: %s', (fields, applies) => {
    expect(matchesDelivery({ ...onDelivery, ...fields }, delivery)).toBe(applies);
  });
});

describe('the kind of a fault', () => {
  it.each<[Partial<FaultRule>, string]>([
    [{ on: 'delivery', kind: 'error-response', status: 500 }, 'error-response'],
    [{ drop: 'before', latency_ms: 5 }, 'drop-before'],
    [{ drop: 'after' }, 'drop-after'],
    [{ status: 503, latency_ms: 5 }, 'status'],
    [{ latency_ms: 5 }, 'latency'],
  ])('a fault with %j has the kind %s', (fields, kind) => {
    expect(toFaultKind({ ...onRequest, ...fields })).toBe(kind);
  });
});
