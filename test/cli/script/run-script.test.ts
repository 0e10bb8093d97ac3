/** The rules of a script that do not need an emulator. test/cli/commands/fixtures.test.ts runs scripts with one. */
import { describe, expect, it, vi } from 'vitest';
import { runScript, type ScriptContext } from '../../../src/cli/script/run-script.ts';
import type { StepReport } from '../../../src/cli/script/step-report.ts';
import type { ApiClient } from '../../../src/client/api-client.ts';
import { SvcError } from '../../../src/domain/errors.ts';
import { createRandomSource } from '../../../src/domain/secret.ts';
import type { ScriptStep } from '../../../src/fixtures/script-fixtures.ts';
import { createTemplateContexts } from '../../../src/fixtures/template-contexts.ts';
import type { ControlPlane } from '../../../src/operations/control-plane.ts';
import { createDelivery } from '../../dashboard/example-delivery.ts';

/** How often a script has paused before it looked again. */
const pauses = vi.hoisted(() => ({ count: 0 }));
vi.mock('../../../src/platform/timers.ts', async (importOriginal) => ({
  ...(await importOriginal<typeof import('../../../src/platform/timers.ts')>()),
  sleep: async () => void pauses.count++,
}));

const event = (name: string | null, payloadTemplate = '{}'): ScriptStep => ({
  ...{ kind: 'event', name, type: 'a.b', payloadTemplate, idempotencyKeyTemplate: null },
});
const webhook = (name: string, url: unknown): ScriptStep => ({
  ...{ kind: 'webhook', name, webhookTemplate: JSON.stringify({ url, events: ['*'] }) },
});
const expectation = (expectation: object): ScriptStep => ({
  ...{ kind: 'expect', name: null, expectation, withinMs: 0 },
});

/** The status of each event's deliveries (default: pending). */
const statuses: Readonly<Record<string, 'succeeded' | 'failed'>> = { evt_1: 'succeeded', evt_2: 'failed' };

/** Runs steps against an emulator that has a delivery of each event to each endpoint. */
async function run(
  steps: readonly ScriptStep[],
  options: Partial<ScriptContext> = {},
  getStatus = (eventId: string) => statuses[eventId] ?? 'pending',
) {
  const endpoints: { id: string; url: string }[] = [];
  const deleted: string[] = [];
  const bodies: string[] = [];
  const keys: (string | undefined)[] = [];
  let eventCount = 0;
  let cleanupCount = 0;
  const api = {
    createEvent: async (body: string, key?: string) => {
      keys.push(key);
      if (body.includes('invalid')) throw new SvcError('validation_failed', 'The payload is invalid.');
      bodies.push(body);
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
      const data = endpoints
        .filter(({ id }) => webhook_id === undefined || id === webhook_id)
        .map(({ id, url }) =>
          createDelivery({
            id: `${event_id} ${id}`,
            event_id,
            webhook_id: id,
            url,
            status: getStatus(event_id),
          }),
        );
      return { data, has_more: false, end_cursor: null };
    },
    deleteWebhook: async ({ id }: { id: string }) => {
      await new Promise((resolve) => setImmediate(resolve));
      deleted.push(id);
    },
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
  let error: unknown = null;
  try {
    for await (const report of runScript({ name: 'mine', description: '', steps, file: '' }, context))
      reports.push(report);
  } catch (thrown) {
    error = thrown;
  }
  return { reports, endpoints, bodies, keys, deleted, cleanupCount, error, last: reports.at(-1) };
}

const setup = [
  webhook('shop', 'http://a.test/'),
  webhook('mail', 'http://b.test/'),
  event('first'),
  event('second'),
];

describe('an expectation of a script', () => {
  it.each<[object, string[], string | null]>([
    [{ deliveries: 4 }, ['evt_1 wh_1', 'evt_1 wh_2', 'evt_2 wh_1', 'evt_2 wh_2'], null],
    [{ event: 'first', status: 'succeeded' }, ['evt_1 wh_1', 'evt_1 wh_2'], null],
    [
      { event: 'second', status: 'succeeded' },
      ['evt_2 wh_1', 'evt_2 wh_2'],
      'evt_2 wh_1 is failed after 2 attempts',
    ],
    [{ webhook: 'shop', deliveries: 2 }, ['evt_1 wh_1', 'evt_2 wh_1'], null],
    [{ event: 'first', webhook: 'mail', deliveries: 2 }, ['evt_1 wh_2'], 'found 1 delivery'],
  ])('%j concerns the deliveries %j', async (fields, ids, problem) => {
    const { last } = await run([...setup, expectation(fields)]);
    expect(last).toMatchObject({ ok: problem === null, lines: { length: problem === null ? 1 : 2 } });
    const result = JSON.parse(last?.result ?? '');
    expect([result.deliveries.map(({ id }: { id: string }) => id), result.problem]).toEqual([ids, problem]);
    if (problem !== null) expect(last?.lines[1]).toBe(problem);
  });

  it('a script stops at an expectation that is not met', async () => {
    const { reports } = await run([...setup, expectation({ deliveries: 1 }), event('third')]);
    expect(reports.map(({ step }) => step.kind)).toEqual(['webhook', 'webhook', 'event', 'event', 'expect']);
  });
});

describe('a wait of a script', () => {
  const wait: ScriptStep = { kind: 'wait', name: null, ms: 0 };
  it('a wait and an expectation end as soon as they are met', async () => {
    const waiting = { ...wait, ms: 60_000 } as ScriptStep;
    const expecting = { ...expectation({ status: 'succeeded' }), withinMs: 60_000 } as ScriptStep;
    const steps = [webhook('shop', 'http://a.test/'), event('first'), event('second'), waiting, expecting];
    pauses.count = 0;
    const getStatus = (id: string) => {
      if (pauses.count >= 4) return 'succeeded';
      return pauses.count >= (id === 'evt_1' ? 1 : 2) ? 'failed' : 'pending';
    };
    const { reports } = await run(steps, {}, getStatus);
    expect(reports.slice(3).map(({ ok, lines }) => [ok, lines[0]])).toEqual([
      [true, '2 deliveries settled'],
      [true, 'every delivery: succeeded'],
    ]);
    expect(pauses.count).toBe(4);
  });

  it('a wait lists the settled deliveries, or how many are pending at its time limit', async () => {
    const settled = await run([...setup, wait]);
    expect(settled.last).toMatchObject({
      ok: true,
      lines: ['4 deliveries settled', ...Array(4).fill(expect.any(String))],
    });
    const pending = await run([
      webhook('shop', 'http://a.test/'),
      event('first'),
      event('second'),
      event('third'),
      wait,
    ]);
    expect(pending.last).toMatchObject({
      ok: false,
      lines: [
        '1 delivery still pending after 0ms',
        'evt_1 wh_1  succeeded',
        'evt_2 wh_1  failed',
        'evt_3 wh_1  pending',
      ],
    });
  });
});

describe('a reference of a script', () => {
  it('a reference gets the value of an earlier step', async () => {
    const { bodies } = await run([event('first'), event(null, '{"id":"{{steps.first.event.id}}"}')]);
    expect(bodies[1]).toContain('"payload":{"id":"evt_1"}');
  });

  it('a reference to a value that the result does not have is an error', async () => {
    const { error, bodies } = await run([
      event('first'),
      event(null, '{"id":"{{steps.first.event.other}}"}'),
    ]);
    expect(error).toMatchObject({
      code: 'usage',
      message: expect.stringContaining('has no value at event.other'),
    });
    expect(bodies.length).toBe(1);
  });
});

describe('an event of a script', () => {
  it('times are those of the schedule clock, and all templates of an event have the same sequence number', async () => {
    const template = '{"at":"{{now}}","number":"{{sequence}}"}';
    const withKey = { ...event(null, template), idempotencyKeyTemplate: '"key-{{sequence}}"' } as ScriptStep;
    const { bodies, keys } = await run([withKey, event(null, template)]);
    expect(bodies.map((body) => JSON.parse(body).payload)).toEqual([
      { at: '2026-11-20T12:00:00.000Z', number: 1 },
      { at: '2026-11-20T12:00:00.000Z', number: 2 },
    ]);
    expect(keys).toEqual(['key-1', undefined]);
  });

  it('an event lists its deliveries, or says that no endpoint subscribes to it', async () => {
    expect((await run([event('first')])).last?.lines).toEqual(['a.b  evt_1', 'no endpoint subscribes to it']);
    const { last } = await run([webhook('shop', 'http://a.test/'), event('first')]);
    expect(last?.lines).toEqual(['a.b  evt_1', 'evt_1 wh_1  http://a.test/']);
  });
});

describe('the endpoints of a script', () => {
  it('the endpoints are deleted at the end, also of a script that stops or fails', async () => {
    expect((await run(setup)).deleted).toEqual(['wh_1', 'wh_2']);
    expect((await run([...setup, expectation({ deliveries: 1 })])).deleted).toEqual(['wh_1', 'wh_2']);
    const { deleted, error } = await run([...setup, event(null, '"invalid"')]);
    expect([deleted, error]).toMatchObject([['wh_1', 'wh_2'], { code: 'validation_failed' }]);
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
