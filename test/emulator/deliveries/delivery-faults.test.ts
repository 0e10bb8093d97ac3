import { describe, expect, it } from 'vitest';
import type { DeliveryFaultKind } from '../../../src/domain/fault.ts';
import {
  applyMatchingFault,
  applySignatureFault,
  sendWithFault,
} from '../../../src/emulator/deliveries/delivery-faults.ts';
import type { SendRequest, SendResult } from '../../../src/emulator/deliveries/sender.ts';
import { between, startDeliverySetup } from './delivery-setup.ts';
import { NOW, startDispatcher } from './dispatcher-setup.ts';

/** Starts an endpoint with a fault on its next delivery. */
async function startFaulty(kind: DeliveryFaultKind, more: { delay_ms?: number } = {}) {
  const delivering = await startDeliverySetup();
  const { id } = await delivering.control.addFault({ on: 'delivery', kind, count: 1, ...more });
  return { ...delivering, mark: { id, kind } };
}

describe('delivery faults', () => {
  it('the fault duplicate sends the request twice with the same bytes and headers [§6.6]', async () => {
    const { receiver, deliver, mark } = await startFaulty('duplicate');
    const { status, attempts, attempt_count } = await deliver();
    const [first, second] = receiver.requests;
    expect(second?.body).toEqual(first?.body);
    expect(second?.rawHeaders).toEqual(first?.rawHeaders);
    expect([status, attempt_count, receiver.requests.length]).toEqual(['succeeded', 2, 2]);
    expect(attempts).toMatchObject([
      { number: 1, fault: mark },
      { number: 2, fault: mark },
    ]);
  });

  it.each([
    ['the first', [{ status: 200 }, { status: 409 }]],
    ['the second', [{ status: 500 }, { status: 200 }]],
  ])('a duplicated delivery succeeds when %s was accepted', async (_, responses) => {
    const { receiver, deliver } = await startFaulty('duplicate');
    receiver.respond(responses);
    expect(await deliver()).toMatchObject({ status: 'succeeded', attempt_count: 2 });
  });

  it('a duplicate that failed twice counts as one attempt of the retry schedule', async () => {
    const { receiver, deliver } = await startFaulty('duplicate');
    receiver.respond({ status: 500 });
    const { next_attempt_at, attempts } = await deliver();
    expect(between(attempts[0]?.scheduled_at, next_attempt_at)).toBe(300_000);
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['http_error', 'http_error']);
  });

  it('the fault delay delays an attempt in schedule time', async () => {
    const { receiver, control, trigger, deliveryOf, mark } = await startFaulty('delay', { delay_ms: 7_000 });
    const event = await trigger();
    const waiting = await deliveryOf(event);
    expect(between(waiting.created_at, waiting.next_attempt_at)).toBe(7_000);
    await control.advanceClock({ ms: 6_999 });
    expect(receiver.requests).toEqual([]);
    await control.advanceClock({ ms: 1 });
    expect(await deliveryOf(event)).toMatchObject({ status: 'succeeded', attempts: [{ fault: mark }] });
  });

  it('the fault reorder sends a later delivery to the endpoint first [delivery.order]', async () => {
    const { receiver, control, trigger, deliveryOf, mark } = await startFaulty('reorder');
    const events = [await trigger(), await trigger()];
    await receiver.waitFor(2);
    await control.advanceClock({ ms: 0 });
    const sent = receiver.requests.map(({ body }) => JSON.parse(`${body}`).data.id);
    expect(sent).toEqual(events.toReversed());
    const marks = await Promise.all(
      events.map(async (event) => (await deliveryOf(event)).attempts[0]?.fault),
    );
    expect(marks).toEqual([mark, undefined]);
  });

  it('the fault reorder stops waiting for a later delivery after its delay', async () => {
    const { receiver, control, deliver } = await startFaulty('reorder', { delay_ms: 5_000 });
    const { created_at, next_attempt_at } = await deliver();
    expect(between(created_at, next_attempt_at)).toBe(5_000);
    await control.settleClock({});
    expect(receiver.requests).toHaveLength(1);
  });
});

describe('sendWithFault', () => {
  const result: SendResult = {
    ...{ outcome: 'succeeded', responseStatus: 200, error: null, durationMs: 7, phases: null },
    ...{ response: { headers: {}, body: Buffer.alloc(0), truncated: false }, retryAfterMs: null },
  };
  const failure = { responseStatus: null, durationMs: 0, phases: null, response: null, retryAfterMs: null };

  /** The results of an attempt with a fault, and the fields of its requests that differ from those without one. */
  async function send(kind: DeliveryFaultKind, more: { delay_ms?: number; status?: number } = {}) {
    const request = { url: 'http://127.0.0.1:9/', headers: {}, body: '{"a":1}' };
    const unchanged: Record<string, unknown> = request;
    const changes: object[] = [];
    const sender = {
      send: async (sent: SendRequest) => {
        const changed = Object.entries(sent).filter(([name, value]) => unchanged[name] !== value);
        changes.push(Object.fromEntries(changed));
        return result;
      },
    };
    const rule = { on: 'delivery', kind, probability: 1, ...more } as const;
    const results = await sendWithFault(sender as never, request, {
      applied: { id: 'flt_1', kind },
      rule,
    });
    return { results, changes };
  }

  it.each<[DeliveryFaultKind, { delay_ms?: number; status?: number }, object[], object[]]>([
    [
      'drop',
      {},
      [],
      [
        {
          ...failure,
          outcome: 'connection_error',
          error: 'the injected fault drop (flt_1) dropped the attempt; nothing was sent to the receiver',
        },
      ],
    ],
    [
      'error-response',
      {},
      [],
      [
        {
          ...{ ...failure, outcome: 'http_error', responseStatus: 503, response: result.response },
          error:
            'the injected fault error-response (flt_1) returned 503 Service Unavailable; nothing was sent to the receiver',
        },
      ],
    ],
    [
      'error-response',
      { status: 799 },
      [],
      [
        {
          ...{ ...failure, outcome: 'http_error', responseStatus: 799, response: result.response },
          error: 'the injected fault error-response (flt_1) returned 799; nothing was sent to the receiver',
        },
      ],
    ],
    ['timeout', {}, [{}], [{ ...failure, outcome: 'timeout', error: expect.any(String), durationMs: 7 }]],
    [
      'reset',
      {},
      [{}],
      [{ ...failure, outcome: 'connection_error', error: expect.any(String), durationMs: 7 }],
    ],
    ['duplicate', {}, [{}, {}], [result, result]],
    ['tamper-body', {}, [{ body: expect.stringMatching(/^.{7}$/) }], [result]],
    ['slow-body', {}, [{ writeOverMs: 5_000 }], [result]],
    ['slow-body', { delay_ms: 60 }, [{ writeOverMs: 60 }], [result]],
    ['bad-signature', {}, [{}], [result]],
  ])('an attempt with the fault %s and %j sends %j', async (kind, more, changes, results) => {
    expect(await send(kind, more)).toEqual({ changes, results });
  });
});

describe('the fault of an attempt', () => {
  async function start(kind: DeliveryFaultKind) {
    const { sandbox, store, endpoint, trigger, get } = startDispatcher();
    await sandbox.faults.add({ on: 'delivery', kind, probability: 1 });
    endpoint();
    const [id = ''] = await trigger();
    const sendable = store.deliveries.findSendable(get(id).seq);
    if (sendable === undefined) throw new Error('The delivery is not due.');
    return { sandbox, delivery: { ...sendable, fault: null } };
  }

  it('an attempt that a fault has delayed gets no second fault', async () => {
    const { sandbox, delivery } = await start('drop');
    expect(applyMatchingFault(sandbox, delivery)).toMatchObject({ applied: { kind: 'drop' } });
    expect(applyMatchingFault(sandbox, { ...delivery, fault: '{"kind":"delay"}' })).toBeUndefined();
  });

  it('old-secret signs with a repeatable unknown secret if the endpoint has no previous secret', async () => {
    const { sandbox, delivery } = await start('old-secret');
    const fault = applyMatchingFault(sandbox, delivery);
    const message = {
      scheme: sandbox.rules.signature,
      secrets: ['a'],
      id: 'b',
      timestampMs: NOW,
      body: '{}',
    };
    const sign = (previous_secret: string | null) =>
      applySignatureFault(sandbox, { ...delivery, previous_secret }, message, fault).secrets;
    expect(sign('whsec_old')).toEqual(['whsec_old']);
    const [unknown, again] = [sign(null), sign(null)];
    expect(unknown).toEqual([expect.stringMatching(/^whsec_.{43}$/)]);
    expect(again).toEqual(unknown);
    expect(unknown).not.toContain(delivery.secret);
  });
});
