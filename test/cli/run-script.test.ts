/** The rules of a script that do not need an emulator. test/cli/commands/fixtures.test.ts runs scripts with one. */
import { describe, expect, it } from 'vitest';
import {
  findMismatch,
  formatExpectation,
  runScript,
  type ScriptContext,
  type StepReport,
  serializeStepReport,
  toStepLabel,
} from '../../src/cli/run-script.ts';
import type { ApiClient } from '../../src/client/api-client.ts';
import { createRandomSource } from '../../src/domain/secret.ts';
import type { Expectation, ScriptStep } from '../../src/fixtures/script-fixtures.ts';
import { createTemplateContexts } from '../../src/fixtures/template-contexts.ts';
import type { ControlPlane } from '../../src/operations/control-plane.ts';
import * as timers from '../../src/platform/timers.ts';
import type { Delivery } from '../../src/resources/delivery.ts';
import { replaceExports } from '../support/replace-exports.ts';
import { aDelivery } from './fake-context.ts';

const event = (name: string | null, payloadTemplate = '{}'): ScriptStep => ({
  ...{ kind: 'event', name, type: 'a.b', payloadTemplate, idempotencyKeyTemplate: null },
});
const expectation = (expectation: object): ScriptStep => ({
  ...{ kind: 'expect', name: null, expectation, withinMs: 0 },
});

/** The status of each event's deliveries (default: pending). */
const statuses: Readonly<Record<string, 'succeeded' | 'failed'>> = { evt_1: 'succeeded', evt_2: 'failed' };

const endpoints = [
  { id: 'wh_1', url: 'http://a.test/' },
  { id: 'wh_2', url: 'http://b.test/' },
];

/** Runs steps against an emulator that has a delivery of each event to each endpoint. */
async function run(
  steps: readonly ScriptStep[],
  {
    endpointCount = 2,
    getStatus = (eventId: string) => statuses[eventId] ?? ('pending' as const),
  }: { endpointCount?: number; getStatus?: (id: string) => 'succeeded' | 'failed' | 'pending' } = {},
) {
  const bodies: string[] = [];
  const keys: (string | undefined)[] = [];
  const api = {
    createEvent: async (body: string, key?: string) => {
      keys.push(key);
      bodies.push(body);
      const id = `evt_${bodies.length}`;
      return { value: { id }, text: `{"id":"${id}","n":1.0}` };
    },
  } as unknown as ApiClient;
  const control = {
    getClock: async () => ({ now: '2026-11-20T12:00:00.000Z', speed: 0 }),
    listDeliveries: async ({ event_id }: { event_id: string }) => {
      const data = endpoints.slice(0, endpointCount).map(({ id, url }) =>
        aDelivery({
          id: `${event_id} ${id}`,
          event_id,
          webhook_id: id,
          url,
          status: getStatus(event_id),
          attempt_count: 2,
        }),
      );
      return { data, has_more: false, end_cursor: null };
    },
  } as unknown as ControlPlane;
  const context: ScriptContext = {
    ...{ api, control, workspaceId: 'ws_1', payloadField: 'payload' },
    templateContexts: createTemplateContexts({ env: {}, random: createRandomSource(1), now: () => 0 }),
    signal: new AbortController().signal,
  };
  const reports: StepReport[] = [];
  let error: unknown = null;
  try {
    for await (const report of runScript({ name: 'mine', description: '', steps, file: '' }, context))
      reports.push(report);
  } catch (thrown) {
    error = thrown;
  }
  return { reports, bodies, keys, error, last: reports.at(-1) };
}

const setup = [event('first'), event('second')];

describe('an expectation of a script', () => {
  it.each<[object, string[], string | null]>([
    [{ deliveries: 4 }, ['evt_1 wh_1', 'evt_1 wh_2', 'evt_2 wh_1', 'evt_2 wh_2'], null],
    [{ event: 'first', status: 'succeeded' }, ['evt_1 wh_1', 'evt_1 wh_2'], null],
    [
      { event: 'second', status: 'succeeded' },
      ['evt_2 wh_1', 'evt_2 wh_2'],
      'evt_2 wh_1 is failed after 2 attempts',
    ],
    [{ event: 'first', deliveries: 1 }, ['evt_1 wh_1', 'evt_1 wh_2'], 'found 2 deliveries'],
  ])('%j concerns the deliveries %j', async (fields, ids, problem) => {
    const { last } = await run([...setup, expectation(fields)]);
    expect(last).toMatchObject({ ok: problem === null, lines: { length: problem === null ? 1 : 2 } });
    const result = JSON.parse(last?.result ?? '');
    expect([result.deliveries.map(({ id }: { id: string }) => id), result.problem]).toEqual([ids, problem]);
    if (problem !== null) expect(last?.lines[1]).toBe(problem);
  });

  it('an expectation ends as soon as it is met', async () => {
    const expecting = { ...expectation({ status: 'succeeded' }), withinMs: 60_000 } as ScriptStep;
    /** How often the script has paused before it looked again. */
    let pauses = 0;
    replaceExports(timers, { sleep: async () => void pauses++ });
    const getStatus = () => (pauses >= 4 ? 'succeeded' : 'pending');
    const { last } = await run([...setup, expecting], { getStatus });
    expect(last).toMatchObject({ ok: true, lines: ['every delivery: succeeded'] });
    expect(pauses).toBe(4);
  });
});

it('a reference to a value that the result does not have is an error', async () => {
  const { error, bodies } = await run([event('first'), event(null, '{"id":"{{steps.first.event.other}}"}')]);
  expect(error).toMatchObject({
    code: 'usage',
    message: expect.stringContaining('has no value at event.other'),
  });
  expect(bodies.length).toBe(1);
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
    const none = await run([event('first')], { endpointCount: 0 });
    expect(none.last?.lines).toEqual(['a.b  evt_1', 'no endpoint subscribes to it']);
    const { last } = await run([event('first')], { endpointCount: 1 });
    expect(last?.lines).toEqual(['a.b  evt_1', 'evt_1 wh_1  http://a.test/']);
    expect(last?.result).toContain('"n":1.0');
  });
});

describe('the text of an expectation', () => {
  it.each<[string, Expectation]>([
    ['every delivery: succeeded', { status: 'succeeded' }],
    ['1 delivery', { deliveries: 1 }],
    [
      '2 deliveries of paid: failed after 1 attempt',
      {
        ...{ event: 'paid', deliveries: 2, status: 'failed', attempt_count: 1 },
      },
    ],
    ['every delivery: after 3 attempts', { attempt_count: 3 }],
  ])('"%s" describes %j', (text, expectation) => {
    expect(formatExpectation(expectation)).toBe(text);
  });

  const deliveries: readonly Delivery[] = [
    aDelivery({ id: 'del_1', status: 'succeeded', attempt_count: 1 }),
    aDelivery({ id: 'del_2', status: 'failed', attempt_count: 2 }),
  ];

  it.each<[Expectation, string | null]>([
    [{ deliveries: 2 }, null],
    [{ deliveries: 1 }, 'found 2 deliveries'],
    [{ deliveries: 3, status: 'failed' }, 'found 2 deliveries'],
    [{ status: 'succeeded' }, 'del_2 is failed after 2 attempts'],
    [{ status: 'failed' }, 'del_1 is succeeded after 1 attempt'],
    [{ attempt_count: 1 }, 'del_2 is failed after 2 attempts'],
    [{ status: 'pending', attempt_count: 1 }, 'del_1 is succeeded after 1 attempt'],
  ])('%j of a succeeded and a failed delivery has the mismatch %j', (expectation, mismatch) => {
    expect(findMismatch(expectation, deliveries)).toBe(mismatch);
  });

  it('an expectation of a status is met without deliveries, and one of their number is not', () => {
    expect(findMismatch({ status: 'succeeded' }, [])).toBeNull();
    expect(findMismatch({ deliveries: 1 }, [])).toBe('found 0 deliveries');
  });
});

describe('the report of a step', () => {
  it.each<[string, ScriptStep]>([
    ['paid', event('paid')],
    ['event', event(null)],
    ['advance 5m', { name: null, kind: 'advance', ms: 300_000 }],
    ['settle', { name: null, kind: 'settle' }],
  ])('a step is labeled "%s"', (label, step) => {
    expect(toStepLabel(step)).toBe(label);
  });

  it('the JSON of a step has its name, its kind, whether it is met, and the fields of its result', () => {
    const report = { step: event('all'), lines: [], ok: true, result: '{"n":1.0}' };
    expect(serializeStepReport(report)).toBe('{"name":"all","kind":"event","ok":true,"n":1.0}');
  });
});
