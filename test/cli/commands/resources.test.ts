import { describe, expect, it } from 'vitest';
import type { ControlPlane } from '../../../src/operations/control-plane.ts';
import { runCommand } from '../../support/command-definitions.ts';
import { apiResponse, createFakeContext, pageOf } from '../fake-context.ts';
import { createPromptContext, ENTER } from '../prompt-context.ts';

const page = { limit: 5, starting_after: 'x_1' };
const inWorkspace = { ...page, workspace_id: 'ws_1' };
const inDefaultWorkspace = { workspace_id: 'ws_default' };
const scopes = ['events:read'];

describe('command options', () => {
  it.each<[name: string, operation: keyof ControlPlane, options: object, input?: object]>([
    ['webhooks list', 'listWebhooks', inWorkspace],
    ['webhooks update', 'updateWebhook', { id: 'wh_1', url: 'http://a', events: ['a.b'], disabled: true }],
    ['webhooks update', 'updateWebhook', { id: 'wh_1', headers: { A: 'b' }, skip_verify: true }],
    ['webhooks update', 'updateWebhook', { id: 'wh_1', headers: false }, { id: 'wh_1', headers: {} }],
    ['webhooks update', 'updateWebhook', { id: 'wh_1', enable: true }, { id: 'wh_1', disabled: false }],
    ['webhooks rotate-secret', 'rotateWebhookSecret', { id: 'wh_1', overlap_ms: 60_000 }],
    ['workspaces list', 'listWorkspaces', page],
    ['keys list', 'listKeys', inWorkspace],
    ['keys create', 'createKey', { scopes, workspace_id: 'ws_1' }],
    ['keys create', 'createKey', { scopes }, { scopes, ...inDefaultWorkspace }],
    ['keys create', 'createKey', { scopes, allWorkspaces: true }, { scopes, workspace_id: null }],
    ['logs list', 'listRequests', { status: 403, key: 'key_1' }, { status: 403, api_key_id: 'key_1' }],
    ['logs list', 'listRequests', { key: 'Checkout' }, { api_key_name: 'Checkout' }],
    ['clock show', 'getClock', { workspace_id: 'ws_1' }],
    ['clock show', 'getClock', {}, inDefaultWorkspace],
    ['clock speed', 'setClock', { speed: 3600, workspace_id: 'ws_1' }],
    ['clock freeze', 'setClock', {}, { frozen: true, ...inDefaultWorkspace }],
    ['clock resume', 'setClock', {}, { frozen: false, ...inDefaultWorkspace }],
    ['clock advance', 'advanceClock', { ms: 300_000 }, { ms: 300_000, ...inDefaultWorkspace }],
    ['clock next', 'nextClock', { workspace_id: 'ws_1' }],
    ['clock settle', 'settleClock', {}, inDefaultWorkspace],
  ])('svc %s calls %s with the fields of %o', async (name, operation, options, input = options) => {
    const calls: object[] = [];
    const control: Partial<ControlPlane> = {
      listWebhooks: async () => pageOf(),
      [operation]: async (given: object) => {
        calls.push(given);
        return pageOf();
      },
    };
    await runCommand(name, options, createFakeContext({ json: true, control }).context);
    expect(calls).toEqual([input]);
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
    expect(calls).toEqual([{ ws: 'ws_1', type: 'a.b', limit: 5, starting_after: 'x_1' }]);
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

it('svc emulator status shows another sender than svc, and a problem of the database with what to do', async () => {
  const storage_problem = { message: 'The disk is full.', hint: { text: 'Free some space', command: 'df' } };
  const status = { sender: 'stripe', storage_problem, deliveries: {}, started_at: '2026-11-20T12:00:00Z' };
  const getStatus = async () => status as never;
  const { context, capturedOutput } = createFakeContext({ control: { getStatus } });
  await runCommand('emulator status', {}, context);
  expect(capturedOutput.out).toMatch(/^Sender +stripe$/m);
  expect(capturedOutput.out).toMatch(
    /^Database problem +The disk is full\.\nWhat to do +Free some space with: df$/m,
  );
});

it.each([
  [{}, 2, 'Everything since startup', 'It kept 2 deliveries of its initial state, of which 2 are', /^hint/],
  [{}, 0, 'Reset the emulator?', 'Reset the emulator. It has no deliveries.\n', /^$/],
  [
    { all: true },
    1,
    'Remove all data of the emulator?',
    '1 delivery of its initial state, of which 1 is',
    /^$/,
  ],
])('svc emulator reset %j with %i deliveries asks "%s…"', async (options, pending, question, out, err) => {
  const reset = async () => ({ kept_deliveries: pending, deliveries: { pending, in_flight: 0 } }) as never;
  const { context, recorded, press } = createPromptContext({ control: { reset } });
  const run = runCommand('emulator reset', options, context);
  await press(`y${ENTER}`, question);
  await run;
  expect(recorded.out).toContain(out);
  expect(recorded.err).toMatch(err);
});
