/** Which call of the control plane or the API each call of a workspace becomes. */
import { describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../src/client/http-client.ts';
import * as httpClient from '../../src/client/http-client.ts';
import { createWorkspace, type Workspace } from '../../src/library/workspace.ts';
import type { WorkspaceSetup } from '../../src/library/workspace-setup.ts';
import type { ControlPlane } from '../../src/operations/control-plane.ts';
import { aDetail, pageOf } from '../cli/fake-context.ts';
import { replaceExports } from '../support/replace-exports.ts';

const WORKSPACE = { workspace_id: 'ws_1' };
const EVENT = {
  id: `evt_${'0'.repeat(26)}`,
  workspace_id: `ws_${'0'.repeat(26)}`,
  type: 'a.b',
  created_at: '2026-11-20T12:00:00.000Z',
  payload: {},
};

function setUp({ isClosed = false } = {}) {
  const calls: unknown[] = [];
  const sent: HttpRequest[] = [];
  replaceExports(httpClient, {
    async sendRequest(request) {
      sent.push(request);
      return { status: 201, headers: {}, text: JSON.stringify(EVENT) };
    },
  });
  const results: Record<string, unknown> = {
    getDelivery: aDetail(),
    getEvent: { id: 'evt_1' },
    clearFaults: { cleared: 3 },
    getClock: { now: '2026-11-20T12:00:00.000Z' },
  };
  const control = new Proxy({} as ControlPlane, {
    get: (_, name: string) => async (input: unknown) => {
      calls.push([name, input]);
      return name.startsWith('list') ? pageOf({ id: 'x_1' }, { id: 'x_2' }) : results[name];
    },
  });
  const workspace = createWorkspace({
    control,
    workspaceId: 'ws_1',
    apiKey: 'svc_test_1',
    payloadField: 'payload',
    closing: isClosed ? AbortSignal.abort() : new AbortController().signal,
    random: () => 0.5,
    emulator: {
      status: () => ({ url: 'http://h:1', base_url: 'http://h:1/v1' }),
      certificate: null,
    },
  } as unknown as WorkspaceSetup);
  return { workspace, calls, sent };
}

describe('the calls of a workspace', () => {
  const page = { limit: expect.any(Number) };
  it.each<[string, (workspace: Workspace) => Promise<unknown>, ...calls: [name: string, input: object][]]>([
    [
      'webhooks.create',
      ({ webhooks }) => webhooks.create({ url: 'http://a' }),
      ['createWebhook', { url: 'http://a', ...WORKSPACE }],
    ],
    ['webhooks.list', ({ webhooks }) => webhooks.list(), ['listWebhooks', { ...page, ...WORKSPACE }]],
    ['webhooks.get', ({ webhooks }) => webhooks.get('wh_1'), ['getWebhook', { id: 'wh_1' }]],
    [
      'webhooks.update',
      ({ webhooks }) => webhooks.update('wh_1', { disabled: true }),
      ['updateWebhook', { id: 'wh_1', disabled: true }],
    ],
    ['webhooks.delete', ({ webhooks }) => webhooks.delete('wh_1'), ['deleteWebhook', { id: 'wh_1' }]],
    [
      'webhooks.rotateSecret',
      ({ webhooks }) => webhooks.rotateSecret('wh_1', { overlap_ms: '1h' }),
      ['rotateWebhookSecret', { id: 'wh_1', overlap_ms: '1h' }],
    ],
    [
      'requests.list',
      ({ requests }) => requests.list({ method: 'POST' }),
      ['listRequests', { ...page, method: 'POST', ...WORKSPACE }],
    ],
    [
      'faults.add',
      ({ faults }) => faults.add({ on: 'delivery', kind: 'drop' }),
      ['addFault', { on: 'delivery', kind: 'drop', ...WORKSPACE }],
    ],
    ['faults.list', ({ faults }) => faults.list(), ['listFaults', { ...page, ...WORKSPACE }]],
    ['faults.clear', ({ faults }) => faults.clear(), ['clearFaults', WORKSPACE]],
    [
      'faults.clear of one',
      ({ faults }) => faults.clear('flt_1'),
      ['clearFaults', { id: 'flt_1', ...WORKSPACE }],
    ],
    ['clock.show', ({ clock }) => clock.show(), ['getClock', WORKSPACE]],
    ['clock.advance', ({ clock }) => clock.advance('5m'), ['advanceClock', { ms: '5m', ...WORKSPACE }]],
    [
      'clock.advanceTo a day',
      ({ clock }) => clock.advanceTo('2026-11-20'),
      ['advanceClock', { to: '2026-11-20T00:00:00.000Z', ...WORKSPACE }],
    ],
    [
      'clock.advanceTo a text',
      ({ clock }) => clock.advanceTo('soon'),
      ['advanceClock', { to: 'soon', ...WORKSPACE }],
    ],
    ['clock.next', ({ clock }) => clock.next(), ['nextClock', WORKSPACE]],
    ['clock.settle', ({ clock }) => clock.settle(), ['settleClock', WORKSPACE]],
    ['clock.freeze', ({ clock }) => clock.freeze(), ['setClock', { frozen: true, ...WORKSPACE }]],
    ['clock.resume', ({ clock }) => clock.resume(), ['setClock', { frozen: false, ...WORKSPACE }]],
    ['clock.speed', ({ clock }) => clock.speed(10), ['setClock', { speed: 10, ...WORKSPACE }]],
    [
      'deliveries.list',
      ({ deliveries }) => deliveries.list({ status: 'failed' }),
      ['listDeliveries', { ...page, status: 'failed', ...WORKSPACE }],
    ],
    ['deliveries.get', ({ deliveries }) => deliveries.get('del_1'), ['getDelivery', { id: 'del_1' }]],
    [
      'deliveries.replay',
      ({ deliveries }) => deliveries.replay('del_1', { new_id: true }),
      ['replayDelivery', { id: 'del_1', new_id: true }],
    ],
    [
      'deliveries.snapshot',
      ({ deliveries }) => deliveries.snapshot({ type: 'a.b' }),
      ['listDeliveries', { ...page, type: 'a.b', ...WORKSPACE }],
      ['getDelivery', { id: 'x_2' }],
      ['getDelivery', { id: 'x_1' }],
    ],
    [
      'events.list',
      ({ events }) => events.list({ type: 'a.b' }),
      ['listEvents', { ...page, type: 'a.b', ...WORKSPACE }],
      ['getEvent', { id: 'x_1' }],
      ['getEvent', { id: 'x_2' }],
    ],
    ['events.get', ({ events }) => events.get('evt_1'), ['getEvent', { id: 'evt_1' }]],
    [
      'close',
      (workspace) => workspace.close(),
      ['listWebhooks', { ...page, ...WORKSPACE }],
      ['deleteWebhook', { id: 'x_1' }],
      ['deleteWebhook', { id: 'x_2' }],
    ],
  ])('%s calls the control plane for its own workspace', async (_, act, ...expected) => {
    const { workspace, calls } = setUp();
    await act(workspace);
    expect(calls).toEqual(expected);
  });

  it('faults.clear returns the number of removed faults', async () => {
    expect(await setUp().workspace.faults.clear()).toBe(3);
  });

  it('a workspace of a closed emulator is closed without a call', async () => {
    const { workspace, calls } = setUp({ isClosed: true });
    await workspace.close();
    expect(calls).toEqual([]);
  });
});

describe('trigger', () => {
  it('an event is created with its payload and key, and returned with its deliveries', async () => {
    const { workspace, sent, calls } = setUp();
    const result = await workspace.trigger('a.b', { n: 1 }, { idempotencyKey: 'k' });
    expect(result).toEqual({ event: EVENT, deliveries: [{ id: 'x_1' }, { id: 'x_2' }] });
    expect(sent).toMatchObject([
      { method: 'POST', url: { href: 'http://h:1/v1/events' }, headers: { 'idempotency-key': 'k' } },
    ]);
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({ type: 'a.b', workspace_id: 'ws_1', payload: { n: 1 } });
    expect(calls).toEqual([
      ['listDeliveries', { limit: expect.any(Number), event_id: EVENT.id, ...WORKSPACE }],
    ]);
  });
});
