import { describe, expect, it } from 'vitest';
import { trace as traceCommand } from '../../../src/cli/commands/events.ts';
import type { EventTrace } from '../../../src/contract/trace-schemas.ts';
import { aDelivery, anAttempt, createFakeContext } from '../fake-context.ts';

const { request: _request, response: _response, verification: _verification, ...attempt } = anAttempt();
const first = { ...attempt, delivery_id: 'del_1', event_type: 'order.shipped', webhook_id: 'wh_1' };
const phases = {
  queued_ms: 0.1,
  reused_connection: true,
  dns_ms: null,
  connect_ms: null,
  tls_ms: null,
  send_ms: 0.2,
  wait_ms: 11.4,
  receive_ms: 0.3,
};

const trace: EventTrace = {
  event: {
    id: 'evt_1',
    workspace_id: 'ws_1',
    type: 'order.shipped',
    created_at: '2026-11-20T11:57:00.000Z',
    request_id: 'req_1',
    delivery_counts: { pending: 1, failing: 0, paused: 0, succeeded: 1, failed: 0, canceled: 0 },
  },
  request: {
    id: 'req_1',
    at: '2026-11-20T11:57:00.000Z',
    method: 'POST',
    path: '/v1/events',
    status: 201,
    error_code: null,
    error_message: null,
    duration_ms: 3.2,
    api_key_id: null,
    api_key_name: null,
    user_agent: null,
    workspace_id: null,
    resource_id: 'evt_1',
  },
  deliveries: [
    {
      ...aDelivery({
        id: 'del_1',
        url: 'http://localhost:3000/a',
        attempt_count: 22,
        next_attempt_at: '2026-11-20T12:05:00.000Z',
      }),
      attempts: [
        { ...first, number: 21 },
        { ...first, number: 22, trigger: 'manual', scheduled_at: '2026-11-20T12:02:00.000Z', phases },
      ],
    },
    {
      ...aDelivery({
        id: 'del_2',
        url: 'http://localhost:3000/b',
        status: 'failed',
        settled_reason: 'retry_not_allowed',
        next_attempt_at: null,
        attempt_count: 0,
      }),
      attempts: [],
    },
    {
      ...aDelivery({
        id: 'del_3',
        url: 'http://localhost:3000/a',
        status: 'succeeded',
        replay_of: 'del_1',
        next_attempt_at: null,
        attempt_count: 1,
      }),
      attempts: [
        {
          ...first,
          outcome: 'succeeded',
          response_status: 200,
          fault: { id: 'flt_1', kind: 'tamper-body' },
          scheduled_at: '2026-11-20T12:03:00.000Z',
        },
      ],
    },
  ],
  has_more: false,
  end_cursor: 'del_3',
};

function fake(changes: Partial<EventTrace> = {}, unicode = true) {
  const control = {
    getEventTrace: async () => ({ ...trace, ...changes }),
    getClock: async () => ({
      workspace_id: 'ws_1',
      now: '2026-11-20T12:00:00.000Z',
      speed: 1,
      wall: '2026-11-20T12:00:00.000Z',
      next_due_at: null,
    }),
  };
  return createFakeContext({ control, capabilities: { unicode } });
}

describe('svc events trace', () => {
  it('the trace is a tree of the request, the event, deliveries, attempts and replays', async () => {
    const { context, capturedOutput } = fake();
    await traceCommand.run({ id: 'evt_1' }, context);
    expect(capturedOutput.out).toBe(
      [
        'POST /v1/events  201  3.2ms  2026-11-20T11:57:00.000Z (3m ago)  req_1',
        '└─ evt_1 order.shipped  2026-11-20T11:57:00.000Z (3m ago)',
        '   ├─ del_1 … pending  http://localhost:3000/a',
        '   │  ├─ 20 older attempts',
        '   │  ├─ #21  +0s  ✗ 503  12ms',
        '   │  ├─ #22  +5m  ✗ 503  12ms  replay  queued 0.1ms, reused connection, send 0.2ms, wait 11ms, receive 0.3ms',
        '   │  ├─ next attempt in 5m',
        '   │  └─ del_3 ✓ succeeded  http://localhost:3000/a  replay of del_1',
        '   │     └─ #1  +6m  ✓ 200  12ms  tamper-body (flt_1)',
        '   └─ del_2 ✗ failed: the receiver returned 410 Gone  http://localhost:3000/b',
        '',
      ].join('\n'),
    );
  });

  it('an event that no request created is the root of its trace', async () => {
    const { context, capturedOutput } = fake({ request: null, deliveries: [] });
    await traceCommand.run({ id: 'evt_1' }, context);
    expect(capturedOutput.out).toBe('evt_1 order.shipped  2026-11-20T11:57:00.000Z (3m ago)\n');
  });

  it('the tree consists of ASCII characters in a terminal without Unicode', async () => {
    const { context, capturedOutput } = fake({}, false);
    await traceCommand.run({ id: 'evt_1' }, context);
    expect(capturedOutput.out).toMatch(/^[ -~\n]+$/);
    expect(capturedOutput.out).toContain('   |  |- #21  +0s  503  12ms\n');
  });

  it('a hint shows how to get the next deliveries', async () => {
    const { context, capturedOutput } = fake({ has_more: true });
    await traceCommand.run({ id: 'evt_1' }, context);
    expect(capturedOutput.err).toBe('hint: Add --starting-after del_3 for the next deliveries.\n');
  });

  it('a URL cannot add lines to the tree', async () => {
    const url = 'http://localhost:3000/\n└─ #1';
    const { context, capturedOutput } = fake({
      deliveries: [{ ...aDelivery({ url, next_attempt_at: null, attempt_count: 0 }), attempts: [] }],
    });
    await traceCommand.run({ id: 'evt_1' }, context);
    expect(capturedOutput.out.trimEnd().split('\n')).toHaveLength(3);
  });
});
