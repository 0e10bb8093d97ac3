import { setMaxListeners } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command } from '../../../src/cli/commands/trigger.ts';
import type { Delivery } from '../../../src/contract/delivery-schemas.ts';
import { ExitCode, SvcError } from '../../../src/errors.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import {
  aDelivery,
  apiResponse,
  createFakeContext,
  type FakeOptions,
  pageOf,
  streamOf,
} from '../fake-context.ts';

const event = {
  id: 'evt_1',
  workspace_id: 'ws_default',
  type: 'order.shipped',
  payload: {},
  created_at: '2026-11-20T12:00:00.000Z',
};

/**
 * Runs the command against an API that records bodies. Its deliveries are listed in one state after the other; of the
 * first change the stream tells as well.
 */
async function trigger(
  options: Parameters<typeof command.run>[0],
  states: Delivery[][] = [[]],
  { onCreated, control, ...fake }: FakeOptions & { onCreated?: (count: number) => unknown } = {},
) {
  const sent: { body: string; idempotencyKey: string | undefined }[] = [];
  let look = 0;
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
      stream: () => streamOf((states[1] ?? []).map((delivery) => ({ type: 'attempt', delivery }))),
      ...control,
      listDeliveries: async () => pageOf(...(states[Math.min(look++, states.length - 1)] ?? [])),
    },
  });
  const run = command.run(options, context);
  const [result] = await Promise.allSettled([run]);
  return { result, sent, body: JSON.parse(sent[0]?.body ?? '{}'), ...capturedOutput };
}

const pending = aDelivery();
const succeeded = aDelivery({ status: 'succeeded' });
const failed = aDelivery({ status: 'failed', settled_reason: 'window_elapsed' });

describe('the payload', () => {
  it('is the fixture of the type', async () => {
    const { body } = await trigger({ type: 'order.shipped' });
    expect(body).toMatchObject({ type: 'order.shipped', workspace_id: 'ws_default' });
    expect(body.payload.items[0].sku).toBe('MUG-CLAY-350');
  });

  it('is empty for a type without a fixture', async () => {
    const { body } = await trigger({ type: 'robot.awoke', workspace: 'ws_other' });
    expect(body).toEqual({ type: 'robot.awoke', workspace_id: 'ws_other', payload: {} });
  });

  it('is sent as it was written, numbers included', async () => {
    const data = '{ "n": 9007199254740993, "price": 12.50, "huge": 1e400 }';
    const { sent } = await trigger({ type: 'order.shipped', data });
    expect(sent[0]?.body).toContain(`"payload":${data}`);
  });

  it('comes from standard input with -', async () => {
    const { body } = await trigger({ type: 'order.shipped', data: '-' }, [[]], { input: '{"from":"stdin"}' });
    expect(body.payload).toEqual({ from: 'stdin' });
  });

  it('is changed by override, add and remove, which leave the other numbers as they were', async () => {
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

  it('refuses a path that is not there, and names the nearest', async () => {
    const { result, sent } = await trigger({ type: 'order.shipped', override: ['items[0].skuu=B'] });
    expect(result).toMatchObject({
      reason: { code: 'usage', hint: expect.stringContaining('items[0].sku?') },
    });
    expect(sent).toEqual([]);
  });

  it.each(['[1]', 'text', '{"a":', '{"a":1,"a":2}'])('refuses %s before anything is sent', async (data) => {
    const { result, sent } = await trigger({ type: 'order.shipped', data });
    expect(result).toMatchObject({ reason: { code: 'usage' } });
    expect(sent).toEqual([]);
  });
});

describe('the answer', () => {
  it('is the event and its deliveries, the event as the API wrote it', async () => {
    const { out } = await trigger({ type: 'order.shipped' }, [[pending]], { json: true });
    expect(JSON.parse(out)).toMatchObject({ event: { id: 'evt_1' }, deliveries: [{ id: pending.id }] });
    expect(out).toContain('9007199254740993');
  });

  it('says what to do when no endpoint is subscribed', async () => {
    const { out, err } = await trigger({ type: 'order.shipped' });
    expect(out).toContain('evt_1');
    expect(err).toContain('No enabled endpoint is subscribed to order.shipped: svc webhooks create');
  });
});

describe('--wait', () => {
  it('is done when every delivery has succeeded', async () => {
    const { result } = await trigger({ type: 'order.shipped', wait: true }, [
      [pending],
      [pending, succeeded],
    ]);
    expect(result).toMatchObject({ value: ExitCode.success });
  });

  it('exits with 1 when one has failed', async () => {
    const { result } = await trigger({ type: 'order.shipped', wait: true }, [
      [pending, { ...pending, id: 'del_2' }],
      [succeeded, { ...failed, id: 'del_2' }],
    ]);
    expect(result).toMatchObject({ value: ExitCode.failure });
  });

  it('ends with a timeout when one is still pending, after it printed what there is', async () => {
    const { result, out } = await trigger({ type: 'order.shipped', wait: 0 }, [[pending]]);
    expect(result).toMatchObject({ reason: { code: 'timeout', exitCode: ExitCode.timeout } });
    expect(out).toContain(pending.id);
  });

  it('ends at once when every delivery that is left is paused, and names its endpoint [delivery.paused]', async () => {
    const paused = { ...pending, paused: true, next_attempt_at: null };
    const { result } = await trigger({ type: 'order.shipped', wait: 3_600_000 }, [[paused]]);
    expect(result).toMatchObject({
      reason: {
        ...{ code: 'timeout', message: `1 delivery is paused: ${paused.webhook_id} is disabled.` },
        hint: `Enable it with: svc webhooks update ${paused.webhook_id} --enable`,
      },
    });
  });

  it('ends at once when it is interrupted', async () => {
    const { result } = await trigger({ type: 'order.shipped', wait: true }, [[pending]], {
      signal: AbortSignal.abort(),
    });
    expect(result).toMatchObject({ reason: { code: 'interrupted' } });
  });
});

describe('templates', () => {
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

  it('of a fixture are filled, each event with its own values', async () => {
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
        getClock: async () => ({ workspace_id: 'ws_default', now, rate: 0, wall: now, next_due_at: null }),
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

  it('of a fixture are not filled where a change has taken their place', async () => {
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

  it('of changes are filled; data is sent as it is', async () => {
    const data = '{"text":"{{{uuid}}","price":1.50}';
    const { sent } = await trigger({ type: 'a.b', data });
    expect(sent[0]?.body).toContain(`"payload":${data}}`);

    const { body } = await trigger({ type: 'a.b', data, add: ['id={{id ord}}'], override: ['price=2.50'] });
    expect(body.payload).toEqual({
      ...{ text: '{{{uuid}}', price: 2.5, id: expect.stringMatching(/^ord_[0-9A-HJKMNP-TV-Z]{12}$/) },
    });
  });

  it('are the same on every run with a seed, from an option or a variable', async () => {
    const options = { type: 'a.b', add: ['id={{uuid}}', 'amount={{number 1.00 99.99}}'], count: 3 };
    const bodies = async (more: object, env = {}) =>
      (await trigger({ ...options, ...more }, [[]], { env })).sent.map(({ body }) => body);
    const first = await bodies({ randomSeed: '7' });

    expect(await bodies({ randomSeed: '7' })).toEqual(first);
    expect(await bodies({}, { SVC_RANDOM_SEED: '7' })).toEqual(first);
    expect(await bodies({ randomSeed: '8' })).not.toEqual(first);
    expect(new Set(first).size).toBe(3);
  });

  it('that are none are refused before anything is sent', async () => {
    const { result, sent } = await trigger({ type: 'a.b', add: ['id={{uid}}'] });
    expect(result).toMatchObject({
      reason: {
        code: 'usage',
        message: 'The value of id: {{uid}} is no template. Did you mean {{uuid}}?',
        hint: expect.stringContaining('--data'),
      },
    });
    expect(sent).toEqual([]);
  });
});

describe('--count', () => {
  const summary = (out: string) => JSON.parse(out);

  it('creates so many and sums up', async () => {
    const states = [
      [aDelivery({ event_id: 'evt_1', status: 'succeeded' }), aDelivery({ event_id: 'evt_other' })],
    ];
    const { sent, out, err } = await trigger({ type: 'order.shipped', count: 40 }, states, { json: true });
    expect(sent).toHaveLength(40);
    expect(summary(out)).toEqual({
      events: 1,
      deliveries: { succeeded: 1, failed: 0, pending: 0 },
      duration_ms: expect.any(Number),
      p50_ms: expect.any(Number),
      p99_ms: expect.any(Number),
    });
    expect(err).toBe('');
  });

  it('sends each under a key of its own, so that the same command again creates none twice', async () => {
    const { sent } = await trigger({ type: 'order.shipped', count: 3, idempotencyKey: 'load' });
    expect(sent.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['load-1', 'load-2', 'load-3']);
  });

  it('with --wait measures until the answer that settled the delivery', async () => {
    const delivery = aDelivery({ event_id: 'evt_1', status: 'succeeded' });
    const news = [{ type: 'attempt', sequence: 1, delivery }];
    const { result, out } = await trigger(
      { type: 'order.shipped', count: 1, wait: true },
      [[aDelivery({ event_id: 'evt_1' })], [delivery]],
      { control: { stream: () => streamOf(news) } },
    );
    expect(result).toMatchObject({ value: ExitCode.success });
    expect(out).toMatch(/^Events +1 in .*\nDeliveries +1 succeeded.*\nTime to deliver +p50 -?[\d.]+ ms/);
  });

  it('has no times to tell of where nothing was delivered', async () => {
    const { out } = await trigger({ type: 'order.shipped', count: 1, wait: true }, [[]], {
      ...{ json: true, control: { stream: () => streamOf([]) } },
    });
    expect(summary(out)).toMatchObject({ events: 1, p50_ms: null, p99_ms: null });
  });

  it('exits with 1 when a delivery that it waited for has failed', async () => {
    const delivery = aDelivery({ event_id: 'evt_1', status: 'failed', settled_reason: 'window_elapsed' });
    const { result } = await trigger({ type: 'order.shipped', count: 1, wait: true }, [[], [delivery]], {
      control: { stream: () => streamOf([{ type: 'attempt', sequence: 1, delivery }]) },
    });
    expect(result).toMatchObject({ value: ExitCode.failure });
  });

  it('prints the summary of what there is when it is interrupted', async () => {
    const interruption = new AbortController();
    setMaxListeners(0, interruption.signal);
    const { result, out } = await trigger(
      { type: 'order.shipped', count: 1000, rate: 100 },
      [[aDelivery({ event_id: 'evt_1' })]],
      { signal: interruption.signal, onCreated: (count) => count === 3 && interruption.abort() },
    );
    expect(result).toMatchObject({ reason: { code: 'interrupted', exitCode: ExitCode.interrupted } });
    expect(out).toMatch(/^Events +1 of 1000 in /);
    expect(out).toContain('1 pending');
  });

  it('prints the summary when the API refuses to go on, and says what to do', async () => {
    const { result, out } = await trigger({ type: 'order.shipped', count: 50 }, [[]], {
      onCreated: (count) => {
        if (count > 20) throw new SvcError('rate_limited', 'More than 20 requests a second.');
      },
    });
    expect(result).toMatchObject({
      reason: { code: 'rate_limited', hint: expect.stringContaining('--rate') },
    });
    expect(out).toMatch(/^Events +1 of 50 in /);
  });

  it('prints no summary when nothing was created', async () => {
    const { result, out } = await trigger({ type: 'order.shipped', count: 5 }, [[]], {
      onCreated: () => {
        throw new SvcError('permission_denied', 'The key lacks events:write.');
      },
    });
    expect(result).toMatchObject({ reason: { code: 'permission_denied' } });
    expect(out).toBe('');
  });

  it('is what --rate goes with', async () => {
    expect((await trigger({ type: 'order.shipped', rate: 5 })).result).toMatchObject({
      reason: { code: 'usage' },
    });
  });
});
