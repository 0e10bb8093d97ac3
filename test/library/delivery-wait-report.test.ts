/** What the error of `deliveries.wait` says, with a control plane in memory. */
import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import type { ControlPlane } from '../../src/contract/control-plane.ts';
import type { Delivery, DeliveryDetail } from '../../src/contract/delivery-schemas.ts';
import type { SvcError } from '../../src/errors.ts';
import { createDeliveryWait, type WaitOptions } from '../../src/library/create-delivery-wait.ts';
import type { WorkspaceSetup } from '../../src/library/workspace-setup.ts';
import { aDelivery, aDetail, anAttempt, NOW, pageOf } from '../cli/fake-context.ts';

// The checks of a stalled wait follow each other without a pause.
vi.mock('../../src/timers.ts', async (load) => ({
  ...(await load<object>()),
  sleep: () => new Promise(setImmediate),
}));

interface State {
  readonly deliveries?: readonly DeliveryDetail[];
  /** Types of the events, the newest first. Each has a delivery if its number is in `delivered`. */
  readonly events?: readonly string[];
  readonly delivered?: readonly number[];
  readonly requests?: readonly object[];
  readonly webhooks?: readonly {
    readonly id: string;
    readonly events?: readonly string[];
    readonly disabled?: boolean;
  }[];
  readonly speed?: number;
}

const at = (ms: number) => new Date(NOW + ms).toISOString();

/** The lines of the error of a wait that fails at once, and those of them that say what to do. */
async function report(
  state: State,
  filter: Parameters<ReturnType<typeof createDeliveryWait>>[0] = {},
  options: WaitOptions = {},
) {
  const { deliveries = [], events = [], delivered = [], requests = [], webhooks = [], speed = 0 } = state;
  const inputs: Record<string, unknown>[] = [];
  const list = (data: readonly object[]) => async (input: object) => {
    inputs.push(input as Record<string, unknown>);
    return pageOf(...(data as { id: string }[])) as never;
  };
  const control: Partial<ControlPlane> = {
    stream: (_, signal) => ({
      ready: Promise.resolve(),
      async *[Symbol.asyncIterator]() {
        if (!signal.aborted) await once(signal, 'abort');
        yield* [];
      },
    }),
    getClock: async () => ({ workspace_id: 'ws_1', now: at(0), speed, wall: at(0), next_due_at: null }),
    listDeliveries: async ({ event_id }) =>
      event_id?.startsWith('evt_')
        ? pageOf(...(delivered.includes(Number(event_id.slice(4))) ? [aDelivery()] : []))
        : pageOf(...(deliveries as readonly Delivery[])),
    getDelivery: async ({ id }) => deliveries.find((delivery) => delivery.id === id) ?? aDetail(),
    listEvents: list(events.map((type, index) => ({ id: `evt_${index}`, type }))),
    listRequests: list(requests),
    listWebhooks: list(webhooks.map((webhook) => ({ events: ['*'], disabled: false, ...webhook }))),
  };
  const wait = createDeliveryWait({
    control: control as ControlPlane,
    workspaceId: 'ws_1',
    closing: new AbortController().signal,
  } as WorkspaceSetup);
  const error = await wait(filter, { timeout: 0, ...options }).then(
    () => expect.unreachable('The wait resolved.'),
    (error: SvcError) => error,
  );
  const [headline, ...lines] = error.message.split('\n').map((line) => line.trim());
  const hints = lines.filter((line) => /^(Send|Wait|Enable|Register|Subscribe) /.test(line));
  return { code: error.code, headline, lines, hints, inputs };
}

const pending = (changes: Partial<DeliveryDetail> = {}) =>
  aDetail({ next_attempt_at: at(90_000), ...changes });
const failed = aDetail({ id: 'del_9', status: 'failed', next_attempt_at: null, settled_reason: null });
const webhook = { id: 'wh_1' };

describe('the headline of a failed wait', () => {
  it.each<[string, State, Parameters<typeof report>[1], WaitOptions]>([
    ['0 of 1 delivery settled within 0ms.', { webhooks: [webhook] }, {}, {}],
    [
      '0 of 2 deliveries of a.b of evt_1 to wh_1 failed within 0ms.',
      {},
      { type: 'a.b', event_id: 'evt_1', webhook_id: 'wh_1' },
      { status: 'failed', count: 2 },
    ],
    [
      '0 of 2 deliveries succeeded: one failed.',
      { deliveries: [failed, pending()] },
      {},
      { status: 'succeeded' },
    ],
    ['1 of 2 deliveries settled within 0ms.', { deliveries: [failed, pending()] }, {}, { count: 2 }],
  ])('the headline is "%s"', async (headline, state, filter, options) => {
    expect((await report(state, filter, options)).headline).toBe(headline);
  });

  it.each<[string, readonly DeliveryDetail[], string]>([
    [
      'one of two is paused',
      [pending({ id: 'del_1', paused: true }), pending()],
      'no attempt is due within 10s',
    ],
    ['one is paused', [pending({ paused: true })], '1 is paused'],
    ['two are paused', [pending({ id: 'del_1', paused: true }), pending({ paused: true })], '2 are paused'],
  ])('the headline of a stalled wait says why it ended: %s', async (_, deliveries, reason) => {
    const { code, headline } = await report({ deliveries }, {}, { timeout: '10s' });
    expect(code).toBe('stalled');
    expect(headline).toBe(
      `0 of ${deliveries.length === 1 ? '1 delivery' : '2 deliveries'} settled: ${reason}.`,
    );
  });
});

describe('the deliveries of a failed wait', () => {
  it('a delivery with several attempts lists each of them, those with another status first', async () => {
    const attempts = [anAttempt(), anAttempt({ number: 2, duration_ms: 1500 })];
    const { lines } = await report(
      { deliveries: [pending({ attempts }), failed] },
      {},
      { status: 'succeeded' },
    );
    expect(lines.slice(0, 4)).toEqual([
      expect.stringMatching(/^del_9 failed after 0 attempts/),
      expect.stringMatching(/^del_\w+ pending after 2 attempts, next attempt in 1m 30s: /),
      'attempt 1: 503 after 12ms',
      'attempt 2: 503 after 1.5s',
    ]);
  });

  it('the report lists ten deliveries and counts the others', async () => {
    const list = (count: number) =>
      Array.from({ length: count }, (_, index) => pending({ id: `del_${index}`, attempts: [anAttempt()] }));
    const ten = await report({ deliveries: list(10) });
    expect(ten.lines.filter((line) => line.startsWith('del_'))).toHaveLength(10);
    expect(ten.lines.join()).not.toContain('more');
    expect((await report({ deliveries: list(11) })).lines[10]).toBe('… and 1 more delivery.');
    expect((await report({ deliveries: list(12) })).lines[10]).toBe('… and 2 more deliveries.');
  });
});

describe('the events of a failed wait', () => {
  it('the report names events without a delivery, at most ten', async () => {
    const some = await report({ events: ['a.b', 'c.d', 'a.b'], delivered: [0], webhooks: [webhook] });
    expect(some.lines).toEqual([
      'evt_1 c.d was created but has no delivery.',
      'evt_2 a.b was created but has no delivery.',
    ]);
    const many = await report({ events: Array(11).fill('a.b'), webhooks: [webhook] });
    expect(many.lines).toHaveLength(10);
  });

  it('the report names other types only if no event has the type', async () => {
    const state = { events: ['a.b', 'c.d', 'c.d'], webhooks: [webhook] };
    expect((await report(state, { type: 'x.y' })).lines).toEqual([
      'No event of x.y was created.',
      'Events of other types: a.b, c.d.',
    ]);
    expect((await report(state, { type: 'a.b' })).lines).toEqual([
      'evt_0 a.b was created but has no delivery.',
    ]);
    expect((await report({ webhooks: [webhook] }, { type: 'x.y' })).lines).toEqual([
      'No event of x.y was created.',
    ]);
  });

  it('the report does not mention events if a delivery is listed, or if the wait is for one event', async () => {
    for (const [state, filter] of [
      [{ deliveries: [pending()], events: ['a.b'] }, {}],
      [{ events: ['a.b'], webhooks: [webhook] }, { event_id: 'other' }],
    ] as const) {
      expect((await report(state, filter)).lines.join()).not.toContain('evt_0');
    }
  });

  it('the report names each kind of rejected request once, of this workspace only', async () => {
    const requests = [
      { id: 'req_1', status: 422, error_code: 'validation_failed' },
      { id: 'req_2', status: 422, error_code: 'validation_failed' },
      { id: 'req_3', status: 400, error_code: 'invalid_request' },
      { id: 'req_4', status: 201, error_code: null },
      { id: 'req_5', status: 399, error_code: null },
    ];
    const { lines, inputs } = await report({ requests, webhooks: [webhook] });
    expect(lines).toEqual([
      'No event was created.',
      'POST /v1/events was rejected: 422 validation_failed.',
      'POST /v1/events was rejected: 400 invalid_request.',
    ]);
    expect(inputs).toContainEqual({ workspace_id: 'ws_1', method: 'POST', path: '/v1/events', limit: 1_000 });
    expect(inputs).toContainEqual({ workspace_id: 'ws_1', limit: 100 });
  });
});

describe('the hint of a failed wait', () => {
  it.each<[string, State, Parameters<typeof report>[1], ...hints: string[]]>([
    [
      'the next attempt, rounded up to seconds',
      {
        deliveries: [
          pending({ id: 'del_2', next_attempt_at: at(400_000) }),
          pending({ next_attempt_at: at(90_001) }),
        ],
      },
      {},
      "Send the next attempt with clock.advance('1m31s'): the clock is frozen.",
    ],
    [
      'the speed of the clock',
      { deliveries: [pending()], speed: 10 },
      {},
      "Send the next attempt with clock.advance('1m30s'): the clock runs at speed 10.",
    ],
    [
      'an attempt that is due',
      { deliveries: [pending({ next_attempt_at: at(0) })] },
      {},
      'Wait longer, or check why the receiver has not responded yet.',
    ],
    [
      'a paused delivery',
      { deliveries: [pending({ paused: true, next_attempt_at: null, webhook_id: 'wh_1' })] },
      {},
      "Enable wh_1, which is disabled: webhooks.update('wh_1', { disabled: false }).",
    ],
    ['no endpoint', {}, {}, 'Register an endpoint with webhooks.create({ url }): none exists.'],
    [
      'a disabled endpoint',
      { webhooks: [{ id: 'wh_1', disabled: true }, { id: 'wh_2' }] },
      {},
      "Enable wh_1, which is disabled: webhooks.update('wh_1', { disabled: false }).",
    ],
    [
      'endpoints without a subscription',
      {
        webhooks: [
          { id: 'wh_1', events: ['c.d', 'e.f'] },
          { id: 'wh_2', events: ['c.d'], disabled: true },
        ],
      },
      { type: 'a.b' },
      'Subscribe an endpoint to a.b: wh_1 receives only c.d, e.f; wh_2 receives only c.d.',
      "Enable wh_2, which is disabled: webhooks.update('wh_2', { disabled: false }).",
    ],
    [
      'an endpoint with a subscription',
      { webhooks: [{ id: 'wh_1', events: ['c.d'] }, webhook] },
      { type: 'a.b' },
    ],
  ])('the hint names %s', async (_, state, filter, ...hints) => {
    expect((await report(state, filter)).hints).toEqual(hints);
  });

  it('a delivery that settled with another status has no hint about endpoints', async () => {
    expect(await report({ deliveries: [failed] }, {}, { status: 'succeeded' })).toMatchObject({
      ...{ code: 'unexpected_status', hints: [] },
    });
  });

  it('the hint names at most ten endpoints', async () => {
    const webhooks = Array.from({ length: 11 }, (_, index) => ({ id: `wh_${index}`, events: ['c.d'] }));
    const { hints } = await report({ webhooks }, { type: 'a.b' });
    expect(hints[0]?.match(/receives only/g)).toHaveLength(10);
    const deliveries = webhooks.map(({ id }, index) =>
      pending({ id: `del_${index}`, webhook_id: id, paused: true, next_attempt_at: null }),
    );
    expect((await report({ deliveries })).hints).toHaveLength(10);
  });
});
