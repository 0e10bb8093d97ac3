import { describe, expect, it } from 'vitest';
import type { ControlPlane } from '../../../src/operations/control-plane.ts';
import { runCommand } from '../../support/command-definitions.ts';
import { apiResponse, createFakeContext, pageOf } from '../fake-context.ts';

type ExpectedCall = readonly [operation: keyof ControlPlane, input: object];

const page = { limit: 5, starting_after: 'x_1' };

describe('command options', () => {
  it.each<[name: string, options: object, call: ExpectedCall]>([
    ['webhooks list', { ...page, workspace_id: 'ws_1' }, ['listWebhooks', { ...page, workspace_id: 'ws_1' }]],
    [
      'webhooks update',
      { id: 'wh_1', url: 'http://a', events: ['a.b'], disabled: true },
      ['updateWebhook', { id: 'wh_1', url: 'http://a', events: ['a.b'], disabled: true }],
    ],
    [
      'webhooks update',
      { id: 'wh_1', headers: { A: 'b' }, skip_verify: true },
      ['updateWebhook', { id: 'wh_1', headers: { A: 'b' }, skip_verify: true }],
    ],
    [
      'webhooks update',
      { id: 'wh_1', headers: false, skip_verify: false },
      ['updateWebhook', { id: 'wh_1', headers: {}, skip_verify: false }],
    ],
    ['webhooks update', { id: 'wh_1', enable: true }, ['updateWebhook', { id: 'wh_1', disabled: false }]],
    [
      'webhooks rotate-secret',
      { id: 'wh_1', overlap_ms: 60_000 },
      ['rotateWebhookSecret', { id: 'wh_1', overlap_ms: 60_000 }],
    ],
    ['workspaces list', page, ['listWorkspaces', page]],
    ['keys list', { ...page, workspace_id: 'ws_1' }, ['listKeys', { ...page, workspace_id: 'ws_1' }]],
    [
      'keys create',
      { scopes: ['events:read'], workspace_id: 'ws_1' },
      ['createKey', { scopes: ['events:read'], workspace_id: 'ws_1' }],
    ],
    [
      'keys create',
      { scopes: ['events:read'] },
      ['createKey', { scopes: ['events:read'], workspace_id: 'ws_default' }],
    ],
    [
      'keys create',
      { scopes: ['events:read'], allWorkspaces: true },
      ['createKey', { scopes: ['events:read'], workspace_id: null }],
    ],
    [
      'logs list',
      { status: 403, key: 'key_1', ...page },
      ['listRequests', { status: 403, api_key_id: 'key_1', ...page }],
    ],
  ])('svc %s sends %o as fields of the request', async (name, options, [operation, expected]) => {
    const calls: object[] = [];
    const control: Partial<ControlPlane> = {
      listWebhooks: async () => pageOf(),
      [operation]: async (input: object) => {
        calls.push(input);
        return pageOf();
      },
    };
    await runCommand(name, options, createFakeContext({ json: true, control }).context);
    expect(calls).toEqual([expected]);
  });

  it('svc events list sends its options as parameters of the public API', async () => {
    const calls: object[] = [];
    const api = {
      listEvents: async (query: object) => {
        calls.push(query);
        return apiResponse(pageOf<never>());
      },
    };
    const { context } = createFakeContext({ json: true, api, status: { workspace_parameter: 'ws' } });
    await runCommand('events list', { ...page, type: 'a.b', workspace: 'ws_1' }, context);
    expect(calls).toEqual([{ ws: 'ws_1', type: 'a.b', limit: '5', starting_after: 'x_1' }]);
  });

  it('svc events list warns about a mistyped event type that selects nothing', async () => {
    const api = { listEvents: async () => apiResponse(pageOf<never>()) };
    const { context, capturedOutput } = createFakeContext({ api });
    await runCommand('events list', { type: 'order.shiped' }, context);
    expect(capturedOutput.err).toBe(
      'warning: No fixture exists for the event type order.shiped. Did you mean order.shipped?\nNo events.\n',
    );
  });

  it('svc events list prints the numbers of a payload as they were written', async () => {
    const event = { id: 'evt_1', workspace_id: 'ws_1', type: 'a.b', created_at: '2026-11-20T12:00:00.000Z' };
    const events = pageOf({ ...event, payload: { n: 9007199254740992 } });
    const text = JSON.stringify(events).replace('9007199254740992', '9007199254740993');
    const { context, capturedOutput } = createFakeContext({
      api: { listEvents: async () => apiResponse(events, text) },
    });
    await runCommand('events list', {}, context);
    expect(capturedOutput.out).toContain('{"n":9007199254740993}');
  });
});
