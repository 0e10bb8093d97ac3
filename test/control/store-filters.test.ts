import { describe, expect, it } from 'vitest';
import {
  findWorkspace,
  toAttemptFilter,
  toDeliveryFilter,
  toEventFilter,
  toRequestFilter,
} from '../../src/control/store-filters.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

const HOUR_MS = 3_600_000;
const WALL = Date.UTC(2026, 10, 20);

/** A sandbox with the workspaces `ws_1`, the default, and `ws_2`, whose clock is a day ahead. */
const workspaces = [1, 2].map((seq) => ({
  seq,
  id: `ws_${seq}`,
  clock: { now: () => WALL + (seq - 1) * 24 * HOUR_MS },
}));
const sandbox = {
  wall: { now: () => WALL - HOUR_MS },
  workspaces: { default: workspaces[0], find: (id: string) => workspaces.find((each) => each.id === id) },
  store: {
    events: { find: (id: string) => id === 'evt_1' },
    webhooks: { findSeq: (id: string) => (id === 'wh_1' ? 7 : undefined) },
    deliveryQueries: { find: (id: string) => (id === 'del_1' ? {} : undefined) },
  },
} as unknown as Sandbox;

describe('toDeliveryFilter', () => {
  it('toDeliveryFilter leaves out every condition without an input', () => {
    expect(new Set(Object.values(toDeliveryFilter(sandbox, {})))).toEqual(new Set([null]));
  });

  it('toDeliveryFilter converts each condition, with times of the clock of the workspace', () => {
    const input = {
      workspace_id: 'ws_2',
      event_id: 'evt_1',
      webhook_id: 'wh_1',
      type: 'a.b',
      status: 'failed',
    } as const;
    expect(
      toDeliveryFilter(sandbox, { ...input, response_status: '5xx', since: '1h', until: '30m', text: 'ÅB' }),
    ).toEqual({
      ...{ workspaceSeq: 2, eventId: 'evt_1', webhookId: 'wh_1', type: 'a.b', status: 'failed', text: 'åb' },
      ...{ responseFrom: 500, responseTo: 599, since: WALL + 23 * HOUR_MS, until: WALL + 23.5 * HOUR_MS },
    });
    expect(toDeliveryFilter(sandbox, { since: '1h' })).toMatchObject({
      workspaceSeq: null,
      since: WALL - HOUR_MS,
    });
  });
});

it('toEventFilter converts each condition, with times of the clock of the workspace', () => {
  expect(new Set(Object.values(toEventFilter(sandbox, {})))).toEqual(new Set([null]));
  expect(
    toEventFilter(sandbox, { workspace_id: 'ws_2', type: 'a.b', since: '1h', until: '30m', text: 'ÅB' }),
  ).toEqual({
    ...{ workspaceSeq: 2, type: 'a.b', text: 'åb', since: WALL + 23 * HOUR_MS, until: WALL + 23.5 * HOUR_MS },
  });
  expect(toEventFilter(sandbox, { since: '1h' })).toMatchObject({ since: WALL - HOUR_MS });
});

it('toAttemptFilter converts each condition, with times of the wall clock', () => {
  expect(new Set(Object.values(toAttemptFilter(sandbox, {})))).toEqual(new Set([null]));
  const input = { workspace_id: 'ws_2', webhook_id: 'wh_1', delivery_id: 'del_1', since: '1h' };
  expect(toAttemptFilter(sandbox, input)).toEqual({
    ...{ workspaceSeq: 2, webhookId: 'wh_1', deliveryId: 'del_1', eventId: null, isUnresolved: null },
    since: WALL - 2 * HOUR_MS,
  });
});

it('toRequestFilter converts each condition, with times of the wall clock', () => {
  expect(new Set(Object.values(toRequestFilter(sandbox, {})))).toEqual(new Set([null]));
  const names = { api_key_id: 'key_1', api_key_name: 'A', request_id: 'req_1', resource_id: 'evt_9' };
  const input = {
    ...names,
    workspace_id: 'ws_1',
    method: 'POST',
    path: '/v1',
    status: 404,
    min_duration_ms: 5,
    since: '1h',
  };
  expect(toRequestFilter(sandbox, input)).toEqual({
    ...{ workspaceSeq: 1, method: 'POST', path: '/v1', statusFrom: 404, statusTo: 404, minDurationMs: 5 },
    ...{
      apiKeyId: 'key_1',
      apiKeyName: 'A',
      requestId: 'req_1',
      resourceId: 'evt_9',
      since: WALL - 2 * HOUR_MS,
    },
  });
});

it.each([
  ['Workspace', () => toDeliveryFilter(sandbox, { workspace_id: 'ws_3' })],
  ['Event', () => toDeliveryFilter(sandbox, { event_id: 'evt_3' })],
  ['Endpoint', () => toDeliveryFilter(sandbox, { webhook_id: 'wh_3' })],
  ['Endpoint', () => toAttemptFilter(sandbox, { webhook_id: 'wh_3' })],
  ['Delivery', () => toAttemptFilter(sandbox, { delivery_id: 'del_3' })],
  ['Workspace', () => toRequestFilter(sandbox, { workspace_id: 'ws_3' })],
])('a filter is rejected because the resource does not exist: %s', (noun, convert) => {
  expect(convert).toThrow(
    expect.objectContaining({
      code: 'not_found',
      message: expect.stringMatching(`^${noun} \\w+_3 does not exist`),
    }),
  );
});

it('findWorkspace returns null without an ID', () => {
  expect([null, undefined, 'ws_2'].map((id) => findWorkspace(sandbox, id)?.seq ?? null)).toEqual([
    null,
    null,
    2,
  ]);
});
