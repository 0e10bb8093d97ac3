import { setMaxListeners } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command } from '../../../src/cli/commands/trigger.ts';
import { ExitCode, SvcError } from '../../../src/domain/errors.ts';
import type { WaitReport } from '../../../src/operations/wait-schemas.ts';
import type { Delivery } from '../../../src/resources/delivery.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import {
  aDelivery,
  apiResponse,
  aWaitReport,
  createFakeContext,
  type FakeOptions,
  pageOf,
} from '../fake-context.ts';

const event = {
  id: 'evt_1',
  workspace_id: 'ws_default',
  type: 'order.shipped',
  payload: {},
  created_at: '2026-11-20T12:00:00.000Z',
};

type Options = Parameters<typeof command.run>[0];

/**
 * Runs the command against an API that records bodies. Each list request returns the next state of the
 * deliveries.
 */
async function trigger(
  options: Options,
  states: Delivery[][] = [[]],
  { onCreated, control, ...fake }: FakeOptions & { onCreated?: (count: number) => unknown } = {},
) {
  const sent: { body: string; idempotencyKey: string | undefined }[] = [];
  let pollCount = 0;
  const { context, capturedOutput } = createFakeContext({
    ...fake,
    api: {
      createEvent: async (body, idempotencyKey) => {
        const count = sent.push({ body, idempotencyKey });
        onCreated?.(count);
        return apiResponse(event, JSON.stringify(event).replace('{}', '{"n":9007199254740993}'));
      },
    },
    control: {
      listDeliveries: async () => pageOf(...(states[Math.min(pollCount++, states.length - 1)] ?? [])),
      waitForDeliveries: async () => aWaitReport(states[0] ?? []),
      ...control,
    },
  });
  const run = command.run(options, context);
  const [result] = await Promise.allSettled([run]);
  return { result, sent, body: JSON.parse(sent[0]?.body ?? '{}'), ...capturedOutput };
}

/** An attempt is due or in flight. */
const pending = aDelivery({ next_attempt_at: '2026-11-20T12:00:00.000Z' });
const succeeded = aDelivery({ status: 'succeeded' });
const failed = aDelivery({ status: 'failed', settled_reason: 'window_elapsed' });

describe('the payload', () => {
  it('the payload is in the field that the running emulator expects [event.body]', async () => {
    const { body } = await trigger({ type: 'a.b', data: '{"a":1}' }, [[]], {
      status: { payload_field: 'data' },
    });
    expect(body).toEqual({ type: 'a.b', workspace_id: 'ws_default', data: { a: 1 } });
  });

  it('the payload is the fixture of the event type', async () => {
    const { body } = await trigger({ type: 'order.shipped' });
    expect(body).toMatchObject({ type: 'order.shipped', workspace_id: 'ws_default' });
    expect(body.payload.items[0].sku).toBe('MUG-CLAY-350');
  });

  it('the payload is empty for a type without a fixture', async () => {
    const { body, err } = await trigger({ type: 'robot.awoke', workspace: 'ws_other' });
    expect(body).toEqual({ type: 'robot.awoke', workspace_id: 'ws_other', payload: {} });
    expect(err).toContain('No fixture exists for robot.awoke, so the payload is empty.\n');
    // The API rejects this type.
    expect((await trigger({ type: 'a robot', workspace: 'ws_other' })).err).not.toContain('fixture');
  });

  it('--data is sent as it was written, numbers included', async () => {
    const data = '{ "n": 9007199254740993, "price": 12.50, "huge": 1e400 }';
    const { sent } = await trigger({ type: 'order.shipped', data });
    expect(sent[0]?.body).toContain(`"payload":${data}`);
  });

  it('--data - reads the payload from standard input', async () => {
    const { body } = await trigger({ type: 'order.shipped', data: '-' }, [[]], { input: '{"from":"stdin"}' });
    expect(body.payload).toEqual({ from: 'stdin' });
  });

  it('--override, --add and --remove change the payload and keep its other numbers unchanged', async () => {
    const { sent } = await trigger({
      type: 'order.shipped',
      data: '{"n":9007199254740993,"items":[{"sku":"A"}],"gone":1}',
      override: ['items[0].sku=B'],
      add: ['items[1].sku=C', 'count=3'],
      remove: ['gone'],
    });
    expect(sent[0]?.body).toContain(
      '"payload":{"n":9007199254740993,"items":[{"sku":"B"},{"sku":"C"}],"count":3}',
    );
  });

  it.each<[string, Options]>([
    ['an array', { data: '[1]' }],
    ['a text that is not JSON', { data: 'text' }],
    ['a duplicate field', { data: '{"a":1,"a":2}' }],
    ['a path that does not exist', { override: ['items[0].skuu=B'] }],
    ['an unknown template', { add: ['id={{uid}}'] }],
    ['a mistyped type without a payload', { type: 'order.shiped', override: ['a=1'] }],
  ])('svc trigger sends nothing if its payload has %s', async (_, options) => {
    const { result, sent } = await trigger({ type: 'order.shipped', ...options });
    expect(result).toMatchObject({ reason: { code: 'usage' } });
    expect(sent).toEqual([]);
  });
});

describe('the output', () => {
  it('the JSON output is the event, as the API wrote it, and its deliveries', async () => {
    const { out } = await trigger({ type: 'order.shipped' }, [[pending]], { json: true });
    expect(JSON.parse(out)).toMatchObject({ event: { id: 'evt_1' }, deliveries: [{ id: pending.id }] });
    expect(out).toContain('9007199254740993');
  });

  it('an event without subscribers is reported with the next step', async () => {
    const { out, err } = await trigger({ type: 'order.shipped' });
    expect(out).toContain('evt_1');
    expect(err).toContain(
      'No enabled endpoint subscribes to order.shipped, so nothing is delivered.\nhint: Register an endpoint with: svc webhooks create',
    );
  });
});

describe('--wait', () => {
  const wait = (
    report: WaitReport,
    options: Partial<Parameters<typeof command.run>[0]> = {},
    created: Delivery[] = [pending],
  ) =>
    trigger({ type: 'order.shipped', wait: true, ...options }, [created], {
      control: {
        waitForDeliveries: async (input) => {
          expect(input).toMatchObject(
            options.count === undefined ? { event_id: 'evt_1' } : { type: 'order.shipped' },
          );
          return report;
        },
      },
    });

  it('--wait exits with 0 when every delivery has succeeded', async () => {
    const { result, out } = await wait(aWaitReport([succeeded]));
    expect(result).toMatchObject({ value: ExitCode.success });
    expect(out).toContain('succeeded');
  });

  it('--wait exits with 1 when a delivery has failed, and says why', async () => {
    const hint = { text: 'Show why', command: 'svc explain del_2' };
    const report = aWaitReport([failed], { details: ['del_2 failed after 1 attempt'], hint });
    const { result, err } = await wait(report);
    expect(result).toMatchObject({ value: ExitCode.failure });
    expect(err).toBe('del_2 failed after 1 attempt\nhint: Show why with: svc explain del_2\n');
  });

  it('--wait prints the deliveries, and exits with the error of a wait that has not settled', async () => {
    const reason = {
      settled: false,
      reason: 'timeout',
      message: '1 delivery has not settled after 5ms.',
    } as const;
    const { result, out } = await wait(aWaitReport([pending], reason), { wait: 5 });
    expect(result).toMatchObject({
      reason: { code: 'timeout', exitCode: ExitCode.timeout, message: reason.message },
    });
    expect(out).toContain(pending.id);
  });

  it('--wait does not wait for an event without deliveries', async () => {
    const { result, err } = await wait(aWaitReport([]), {}, []);
    expect(result).toMatchObject({ value: ExitCode.success });
    expect(err).toContain('No enabled endpoint subscribes to order.shipped');
  });
});

describe('templates', () => {
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

  it('templates of a fixture get new values for each event', async () => {
    const cwd = createTemporaryFolder();
    mkdirSync(join(cwd, 'fixtures/events'), { recursive: true });
    const payload = { id: '{{uuid}}', n: '{{sequence}}', shop: '{{env SHOP}}', at: '{{now+1h}}' };
    writeFileSync(
      join(cwd, 'fixtures/events/parcel.lost.json'),
      JSON.stringify({ description: '', payload }),
    );
    const now = '2026-11-20T12:00:00.000Z';
    const { sent } = await trigger({ type: 'parcel.lost', count: 2 }, [[]], {
      ...{ cwd, env: { SHOP: 'Ä "1"' } },
      control: {
        getClock: async () => ({ workspace_id: 'ws_default', now, speed: 0, wall: now, next_due_at: null }),
      },
    });

    const payloads = sent.map(({ body }) => JSON.parse(body).payload);
    expect(payloads.map(({ n }) => n)).toEqual([1, 2]);
    expect(payloads[0]).toMatchObject({
      id: expect.stringMatching(uuid),
      ...{ shop: 'Ä "1"', at: '2026-11-20T13:00:00.000Z' },
    });
    expect(payloads[1].id).not.toBe(payloads[0].id);
  });

  it('a template that an option replaces is not filled', async () => {
    const cwd = createTemporaryFolder();
    mkdirSync(join(cwd, 'fixtures/events'), { recursive: true });
    writeFileSync(
      join(cwd, 'fixtures/events/parcel.lost.json'),
      '{"description":"","payload":{"shop":"{{env SHOP}}"}}',
    );

    expect((await trigger({ type: 'parcel.lost' }, [[]], { cwd })).result).toMatchObject({
      reason: { code: 'usage', message: 'At shop: The variable SHOP is not set.' },
    });
    const { body } = await trigger({ type: 'parcel.lost', override: ['shop=mine'] }, [[]], { cwd });
    expect(body.payload).toEqual({ shop: 'mine' });
  });

  it('templates in --add and --override are filled, and --data is sent unchanged', async () => {
    const data = '{"text":"{{{uuid}}","price":1.50}';
    const { sent } = await trigger({ type: 'a.b', data });
    expect(sent[0]?.body).toContain(`"payload":${data}}`);

    const { body } = await trigger({ type: 'a.b', data, add: ['id={{id ord}}'], override: ['price=2.50'] });
    expect(body.payload).toEqual({
      ...{ text: '{{{uuid}}', price: 2.5, id: expect.stringMatching(/^ord_[0-9A-HJKMNP-TV-Z]{12}$/) },
    });
  });

  it('a seed from an option or a variable makes the values the same on every run', async () => {
    const options = { type: 'a.b', add: ['id={{uuid}}', 'amount={{number 1.00 99.99}}'], count: 3 };
    const bodies = async (more: object, env = {}) =>
      (await trigger({ ...options, ...more }, [[]], { env })).sent.map(({ body }) => body);
    const first = await bodies({ randomSeed: '7' });

    expect(await bodies({ randomSeed: '7' })).toEqual(first);
    expect(await bodies({}, { SVC_RANDOM_SEED: '7' })).toEqual(first);
    expect(await bodies({ randomSeed: '8' })).not.toEqual(first);
    expect(new Set(first).size).toBe(3);
  });
});

describe('--count', () => {
  const summary = (out: string) => JSON.parse(out);

  it('--count creates that many events and prints a summary', async () => {
    const { sent, out, err } = await trigger({ type: 'order.shipped', count: 40 }, [[succeeded]], {
      json: true,
    });
    expect(sent).toHaveLength(40);
    expect(summary(out)).toEqual({
      events: 40,
      deliveries: { succeeded: 1, failed: 0, pending: 0 },
      duration_ms: expect.any(Number),
    });
    expect(err).toBe('');
  });

  it('the summary of --count names the events, their rate and their deliveries', async () => {
    const states = [[aDelivery({ event_id: 'evt_1', status: 'succeeded' })]];
    const { out } = await trigger({ type: 'order.shipped', count: 2 }, states);
    expect(out).toMatch(
      /^Events +2 in \S+, created at (\d\.\d|\d{2,})\/s\nDeliveries +1 succeeded, 0 failed, 0 pending\n$/,
    );
  });

  it('--count says that no endpoint receives the events', async () => {
    const { err } = await trigger({ type: 'order.shipped', count: 2 });
    expect(err).toBe(
      'No enabled endpoint subscribes to order.shipped, so nothing is delivered.\n' +
        'hint: Register an endpoint with: svc webhooks create --url URL --events order.shipped\n',
    );
  });

  it('--count with --idempotency-key sends each event with its own key', async () => {
    const { sent } = await trigger({ type: 'order.shipped', count: 3, idempotencyKey: 'load' });
    expect(sent.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['load-1', 'load-2', 'load-3']);
  });

  it('--count with --wait exits with 1 when a delivery has failed', async () => {
    const delivery = aDelivery({ event_id: 'evt_1', status: 'failed', settled_reason: 'window_elapsed' });
    const { result } = await trigger({ type: 'order.shipped', count: 1, wait: true }, [[delivery]], {
      control: {
        waitForDeliveries: async (input) => {
          expect(input).toEqual({
            ...{ type: 'order.shipped', workspace_id: 'ws_default', since: event.created_at },
            ...{ timeout_ms: 30_000, keep_waiting: undefined },
          });
          return aWaitReport([delivery], { details: ['del_1 failed'] });
        },
      },
    });
    expect(result).toMatchObject({ value: ExitCode.failure });
  });

  it('an interrupted --count says how many events it created', async () => {
    const interruption = new AbortController();
    setMaxListeners(0, interruption.signal);
    const { result, out, err } = await trigger(
      { type: 'order.shipped', count: 1000, rate: 100 },
      [[aDelivery({ event_id: 'evt_1' })]],
      { signal: interruption.signal, onCreated: (count) => count === 3 && interruption.abort() },
    );
    expect(result).toMatchObject({ reason: { code: 'interrupted', exitCode: ExitCode.interrupted } });
    expect({ out, err }).toEqual({ out: '', err: 'Created 3 of 1000 events.\n' });
  });

  it('a rate-limited --count says how many events it created', async () => {
    const { result, err } = await trigger({ type: 'order.shipped', count: 50 }, [[]], {
      onCreated: (count) => {
        if (count > 20) throw new SvcError('rate_limited', 'More than 20 requests a second.');
      },
    });
    expect(result).toMatchObject({ reason: { code: 'rate_limited' } });
    expect(err).toBe('Created 20 of 50 events.\n');
  });

  it('--count without any created event prints no summary', async () => {
    const { result, out } = await trigger({ type: 'order.shipped', count: 5 }, [[]], {
      onCreated: () => {
        throw new SvcError('permission_denied', 'The key lacks events:write.');
      },
    });
    expect(result).toMatchObject({ reason: { code: 'permission_denied' } });
    expect(out).toBe('');
  });
});
