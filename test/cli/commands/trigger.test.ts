import { describe, expect, it } from 'vitest';
import { command } from '../../../src/cli/commands/trigger.ts';
import type { Delivery } from '../../../src/contract/resources.ts';
import { ExitCode } from '../../../src/errors.ts';
import { aDelivery, answer, createFakeContext, type FakeOptions, pageOf } from '../fake-context.ts';

const event = {
  id: 'evt_1',
  workspace_id: 'ws_default',
  type: 'order.shipped',
  payload: {},
  created_at: '2026-11-20T12:00:00.000Z',
};

/** Runs the command against an API that records bodies, and deliveries that are seen one state after the other. */
async function trigger(
  options: Parameters<typeof command.run>[0],
  states: Delivery[][] = [[]],
  fake: FakeOptions = {},
) {
  const sent: { body: string; idempotencyKey: string | undefined }[] = [];
  let look = 0;
  const { context, recorded } = createFakeContext({
    ...fake,
    api: {
      createEvent: async (body, idempotencyKey) => {
        sent.push({ body, idempotencyKey });
        return answer(event, JSON.stringify(event).replace('{}', '{"n":9007199254740993}'));
      },
    },
    control: {
      listDeliveries: async () => pageOf(...(states[Math.min(look++, states.length - 1)] ?? [])),
    },
  });
  const run = command.run(options, context);
  const [result] = await Promise.allSettled([run]);
  return { result, sent, body: JSON.parse(sent[0]?.body ?? '{}'), ...recorded };
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
    expect(err).toContain('svc webhooks create');
  });
});

describe('--wait', () => {
  it('is done when every delivery has succeeded', async () => {
    const { result } = await trigger({ type: 'order.shipped', wait: true }, [
      [pending],
      [pending],
      [succeeded],
    ]);
    expect(result).toMatchObject({ value: ExitCode.done });
  });

  it('exits with 1 when one has failed', async () => {
    const { result } = await trigger({ type: 'order.shipped', wait: true }, [
      [pending, pending],
      [succeeded, failed],
    ]);
    expect(result).toMatchObject({ value: ExitCode.notSo });
  });

  it('ends with a timeout when one is still pending, after it printed what there is', async () => {
    const { result, out } = await trigger({ type: 'order.shipped', wait: 0 }, [[pending]]);
    expect(result).toMatchObject({ reason: { code: 'timeout', exitCode: ExitCode.timeout } });
    expect(out).toContain(pending.id);
  });

  it('ends at once when it is interrupted', async () => {
    const { result } = await trigger({ type: 'order.shipped', wait: true }, [[pending]], {
      signal: AbortSignal.abort(),
    });
    expect(result).toMatchObject({ reason: { code: 'interrupted' } });
  });
});

describe('--count', () => {
  it('creates so many, the same key each time, and sums up', async () => {
    const options = { type: 'order.shipped', count: 40, idempotencyKey: 'once' };
    const states = [
      [aDelivery({ event_id: 'evt_1', status: 'succeeded' }), aDelivery({ event_id: 'evt_other' })],
    ];
    const { sent, out } = await trigger(options, states, { json: true });
    expect(sent).toHaveLength(40);
    expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey))).toEqual(new Set(['once']));
    expect(JSON.parse(out)).toEqual({
      events: 1,
      deliveries: { succeeded: 1, failed: 0, pending: 0 },
      duration_ms: expect.any(Number),
      p50_ms: expect.any(Number),
      p99_ms: expect.any(Number),
    });
  });
});
