import { setMaxListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { command } from '../../../src/cli/commands/trigger.ts';
import { ExitCode, SvcError } from '../../../src/domain/errors.ts';
import type { WaitReport } from '../../../src/operations/wait-schemas.ts';
import type { Delivery } from '../../../src/resources/delivery.ts';
import { createFixtureProject } from '../../fixtures/fixture-project.ts';
import {
  aDelivery,
  apiResponse,
  aWaitReport,
  createFakeContext,
  type FakeOptions,
  pageOf,
} from '../fake-context.ts';

const event = {
  id: aDelivery().event_id,
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
});

describe('the output', () => {
  it('the JSON output is the event, as the API wrote it, and its deliveries', async () => {
    const { out } = await trigger({ type: 'order.shipped' }, [[pending]], { json: true });
    expect(JSON.parse(out)).toMatchObject({ event: { id: event.id }, deliveries: [{ id: pending.id }] });
    expect(out).toContain('9007199254740993');
  });

  it('an event without subscribers is reported with the next step', async () => {
    const waitForDeliveries = () => expect.unreachable('There is nothing to wait for.');
    const options = { type: 'order.shipped', wait: true } as const;
    const { out, err } = await trigger(options, [[]], { control: { waitForDeliveries } });
    expect(out).toContain(event.id);
    expect(err).toContain(
      'No enabled endpoint subscribes to order.shipped, so nothing is delivered.\nhint: Register an endpoint with: svc webhooks create',
    );
  });
});

describe('--wait', () => {
  const notSettled = { settled: false, reason: 'timeout', message: '1 delivery has not settled.' } as const;

  it.each<[string, WaitReport, object, err: string]>([
    ['success', aWaitReport([succeeded]), { value: ExitCode.success }, ''],
    ['a failure', aWaitReport([failed], { details: ['Why.'] }), { value: ExitCode.failure }, 'Why.\n'],
    ['a timeout', aWaitReport([pending], notSettled), { reason: { code: 'timeout' } }, ''],
  ])('--wait prints the deliveries, and ends with %s', async (_, report, expected, err) => {
    const waitForDeliveries = vi.fn(async () => report);
    const options = { type: 'order.shipped', wait: 5 };
    const { result, ...output } = await trigger(options, [[pending]], { control: { waitForDeliveries } });
    expect(waitForDeliveries.mock.calls[0]).toMatchObject([{ event_id: event.id, timeout_ms: 5 }, {}]);
    expect(result).toMatchObject(expected);
    expect(output).toMatchObject({ out: expect.stringContaining(`${report.data[0]?.status}`), err });
  });
});

describe('templates', () => {
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

  it('templates of a fixture get new values for each event', async () => {
    const { cwd, write } = createFixtureProject();
    const payload = { id: '{{uuid}}', n: '{{sequence}}', shop: '{{env SHOP}}', at: '{{now+1h}}' };
    write('events/parcel.lost', { description: '', payload });
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
    const { cwd, write } = createFixtureProject();
    write('events/parcel.lost', { description: '', payload: { shop: '{{env SHOP}}' } });
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
    const states = [[succeeded, aDelivery({ status: 'canceled' })]];
    const { sent, out, err } = await trigger({ type: 'order.shipped', count: 40 }, states, { json: true });
    expect(sent).toHaveLength(40);
    expect(summary(out)).toEqual({
      events: 40,
      deliveries: { succeeded: 1, failed: 1, pending: 0 },
      duration_ms: expect.any(Number),
    });
    expect(err).toBe('');
  });

  it.each([
    [{ count: 2, rate: 4 }, /^Events +2 in \S+, created at \d\.\d\/s\n/],
    [{ count: 40 }, /^Events +40 in \S+, created at \d{2,}\/s\n/],
  ])('the summary of %j names the events, their rate and their deliveries', async (options, events) => {
    const states = [[succeeded, failed, aDelivery({ status: 'canceled' })]];
    // Some can still be pending.
    const control = { waitForDeliveries: async () => aWaitReport(states.flat(), { reason: 'timeout' }) };
    const { result, out } = await trigger({ type: 'order.shipped', ...options }, states, { control });
    expect(result).toMatchObject({ value: ExitCode.success });
    expect(out).toMatch(events);
    expect(out).toContain('\nDeliveries  1 succeeded, 2 failed, 0 pending\n');
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
    const delivery = aDelivery({ status: 'failed', settled_reason: 'window_elapsed' });
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

  it('--count ignores the deliveries of earlier events with the same time', async () => {
    const earlier = aDelivery({ event_id: 'evt_2', status: 'failed' });
    const waitForDeliveries = vi.fn(async () => aWaitReport([succeeded]));
    for (const states of [[[succeeded, earlier]], [[earlier]]]) {
      const options = { type: 'order.shipped', count: 1, wait: 5 };
      const { result } = await trigger(options, states, { control: { waitForDeliveries } });
      expect(result).toMatchObject({ value: ExitCode.success });
    }
    expect(waitForDeliveries.mock.calls).toMatchObject([[{ ids: [succeeded.id], timeout_ms: 5 }, {}]]);
  });

  it('an interrupted --count says how many events it created', async () => {
    const interruption = new AbortController();
    setMaxListeners(0, interruption.signal);
    const { result, out, err } = await trigger(
      { type: 'order.shipped', count: 1000, rate: 100 },
      [[pending]],
      { signal: interruption.signal, onCreated: (count) => count === 3 && interruption.abort() },
    );
    expect(result).toMatchObject({ reason: { code: 'interrupted', exitCode: ExitCode.interrupted } });
    expect({ out, err }).toEqual({ out: '', err: 'Created 3 of 1000 events.\n' });
  });

  it.each([
    [20, 'Created 20 of 50 events.\n'],
    [0, ''],
  ])('a --count that fails after %i events says how many it created: %j', async (limit, err) => {
    const { result, ...output } = await trigger({ type: 'order.shipped', count: 50 }, [[]], {
      onCreated: (count) => {
        if (count > limit) throw new SvcError('rate_limited', 'Too many requests.');
      },
    });
    expect(result).toMatchObject({ reason: { code: 'rate_limited' } });
    expect(output).toMatchObject({ out: '', err });
  });
});
