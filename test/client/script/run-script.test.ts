/** The rules of a script that do not need an emulator. test/cli/commands/fixtures.test.ts runs scripts with one. */
import { describe, expect, it } from 'vitest';
import type { ApiClient } from '../../../src/client/api-client.ts';
import { runScript, type ScriptContext } from '../../../src/client/script/run-script.ts';
import type { StepReport } from '../../../src/client/script/step-report.ts';
import type { ControlPlane } from '../../../src/contract/control-plane.ts';
import { createRandomSource } from '../../../src/domain/secret.ts';
import type { ScriptStep } from '../../../src/fixtures/script-fixtures.ts';
import { createTemplateContexts } from '../../../src/fixtures/template-contexts.ts';
import { createDelivery } from '../../dashboard/example-delivery.ts';

const event = (name: string): ScriptStep => ({
  ...{ kind: 'event', name, type: 'a.b', payloadTemplate: '{}', idempotencyKeyTemplate: null },
});
const webhook = (name: string, url: unknown): ScriptStep => ({
  ...{ kind: 'webhook', name, webhookTemplate: JSON.stringify({ url, events: ['*'] }) },
});
const expectation = (expectation: object): ScriptStep => ({
  ...{ kind: 'expect', name: null, expectation, withinMs: 0 },
});

/** Runs steps against an emulator that succeeds with the deliveries of the first event, and fails with those of later ones. */
async function run(steps: readonly ScriptStep[], options: Partial<ScriptContext> = {}) {
  const endpoints: { id: string; url: string }[] = [];
  const deleted: string[] = [];
  let eventCount = 0;
  let cleanupCount = 0;
  const api = {
    createEvent: async () => {
      const id = `evt_${++eventCount}`;
      return { value: { id }, text: JSON.stringify({ id }) };
    },
    createWebhook: async ({ url, events }: { url: string; events: string[] }) => {
      const created = { id: `wh_${endpoints.length + 1}`, url, events };
      endpoints.push(created);
      return { value: created, text: JSON.stringify(created) };
    },
  } as unknown as ApiClient;
  const control = {
    getClock: async () => ({ now: '2026-11-20T12:00:00.000Z', speed: 0 }),
    listDeliveries: async ({ event_id, webhook_id }: { event_id: string; webhook_id?: string }) => {
      const status = event_id === 'evt_1' ? ('succeeded' as const) : ('failed' as const);
      const data = endpoints
        .filter(({ id }) => webhook_id === undefined || id === webhook_id)
        .map(({ id, url }) =>
          createDelivery({ id: `${event_id} ${id}`, event_id, webhook_id: id, url, status }),
        );
      return { data, has_more: false, end_cursor: null };
    },
    deleteWebhook: async ({ id }: { id: string }) => void deleted.push(id),
  } as unknown as ControlPlane;
  const context: ScriptContext = {
    ...{ api, control, workspaceId: 'ws_1', payloadField: 'payload', keepsEndpoints: false },
    connectForCleanup: async () => {
      cleanupCount++;
      return control;
    },
    templateContexts: createTemplateContexts({ env: {}, random: createRandomSource(1), now: () => 0 }),
    signal: new AbortController().signal,
    ...options,
  };
  const reports: StepReport[] = [];
  for await (const report of runScript({ name: 'mine', description: '', steps, file: '' }, context))
    reports.push(report);
  return { reports, endpoints, deleted, cleanupCount, last: reports.at(-1) };
}

const setup = [
  webhook('shop', 'http://a.test/'),
  webhook('mail', 'http://b.test/'),
  event('first'),
  event('second'),
];

describe('an expectation of a script', () => {
  it.each<[object, number, boolean]>([
    [{ deliveries: 4 }, 4, true],
    [{ event: 'first', status: 'succeeded' }, 2, true],
    [{ event: 'second', status: 'succeeded' }, 2, false],
    [{ webhook: 'shop', deliveries: 2 }, 2, true],
    [{ event: 'first', webhook: 'mail', deliveries: 1 }, 1, true],
  ])('%j concerns %i of the four deliveries of two events to two endpoints', async (fields, count, ok) => {
    const { last } = await run([...setup, expectation(fields)]);
    expect(last?.ok).toBe(ok);
    expect(JSON.parse(last?.result ?? '').deliveries.length).toBe(count);
  });

  it('a script stops at an expectation that is not met', async () => {
    const { reports } = await run([...setup, expectation({ deliveries: 1 }), event('third')]);
    expect(reports.map(({ step }) => step.kind)).toEqual(['webhook', 'webhook', 'event', 'event', 'expect']);
  });
});

describe('the endpoints of a script', () => {
  it('the endpoints are deleted at the end, also of a script that fails or is left', async () => {
    expect((await run(setup)).deleted).toEqual(['wh_1', 'wh_2']);
    expect((await run([...setup, expectation({ deliveries: 1 })])).deleted).toEqual(['wh_1', 'wh_2']);
    expect((await run(setup, { keepsEndpoints: true })).deleted).toEqual([]);
  });

  it('a script without endpoints does not connect for the cleanup, because the emulator may have stopped', async () => {
    expect((await run([event('first')])).cleanupCount).toBe(0);
  });

  it.each([
    [3000, 'http://localhost:3000/'],
    ['shop.example/hooks', 'https://shop.example/hooks'],
    ['ftp://shop.example', 'ftp://shop.example'],
  ])('the URL %j is completed, or left to the API if it is invalid', async (url, sent) => {
    expect((await run([webhook('shop', url)])).endpoints).toMatchObject([{ url: sent }]);
  });
});
