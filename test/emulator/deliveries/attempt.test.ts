import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../../src/domain/duration.ts';
import { verify } from '../../../src/signature.ts';
import type { ReceivedRequest } from '../../support/test-receiver.ts';
import { between, header, startDeliverySetup } from './delivery-setup.ts';
import { startDispatcher } from './dispatcher-setup.ts';

/** A wall clock that the test sets, with real monotonic time. */
function createWall() {
  let offset = 0;
  return {
    set: (ms: number) => {
      offset += ms;
    },
    wall: {
      now: () => Math.round(performance.timeOrigin + performance.now()) + offset,
      monotonic: () => performance.now(),
    },
  };
}

it('the API responds after the event and its deliveries are stored [§6.delivery, event.emission]', async () => {
  const { emulator, trigger } = await startDeliverySetup();
  const id = await trigger();
  const { data } = await emulator.control.listDeliveries({ event_id: id });
  expect(data).toHaveLength(1);
});

describe('a delivery', () => {
  it('a delivery is a POST of the envelope with signature, timestamp and delivery id headers [§6.delivery, §6.headers.signature, §6.headers.timestamp, §6.headers.delivery-id, §2.envelope]', async () => {
    const { receiver, webhook, deliver, emulator } = await startDeliverySetup();
    const delivery = await deliver();
    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/' });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'service-delivery-id': delivery.id,
      'service-timestamp': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    const envelope = JSON.parse(request?.body.toString() ?? '');
    const event = await emulator.api('GET', `/events/${delivery.event_id}`);
    expect(envelope).toEqual({
      ...{ type: 'order.shipped', workspace_id: delivery.workspace_id, created_at: event.json.created_at },
      data: event.json,
    });
    const verified = verify({
      payload: request?.body ?? null,
      signature: header(request, 'service-signature'),
      timestamp: header(request, 'service-timestamp'),
      secret: webhook.secret,
    });
    expect(verified).toMatchObject({ ok: true });
  });

  it('every attempt and replay sends the same bytes with a new timestamp and signature [envelope, replay, §6.headers.timestamp]', async () => {
    const { wall, set } = createWall();
    const { receiver, control, deliver, emulator } = await startDeliverySetup({ status: 500 }, { wall });
    const payload = { total: 12.5, note: 'ünïcode \u2028' };
    const id = await emulator.trigger('order.shipped', payload);
    const [{ id: delivery = '' } = {}] = await emulator.deliveriesOf(id);
    for (const wait of [5, 30]) {
      set(wait * MINUTE_MS);
      await control.advanceClock({ ms: wait * MINUTE_MS });
    }
    set(1_000);
    await control.replayDelivery({ id: delivery });
    await control.advanceClock({ ms: 0 });
    expect(receiver.requests).toHaveLength(4);
    const distinct = (read: (request: ReceivedRequest) => string) =>
      new Set(receiver.requests.map(read)).size;
    expect(distinct(({ body }) => body.toString('latin1'))).toBe(1);
    expect(distinct((request) => header(request, 'service-delivery-id'))).toBe(1);
    expect(distinct((request) => header(request, 'service-timestamp'))).toBe(4);
    expect(distinct((request) => header(request, 'service-signature'))).toBe(4);
    await deliver();
  });
});

describe('an attempt', () => {
  it('an attempt without a response times out in real time, however fast the schedule clock runs, and is retried [delivery.timeout, §6.retries.non-2xx]', async () => {
    const { deliver } = await startDeliverySetup(
      { after: new Promise(() => {}) },
      { overrides: { 'delivery.timeout': { connect: '1s', attempt: '100ms' } }, clock: { speed: 1_000 } },
    );
    const { created_at, next_attempt_at, attempts } = await deliver();
    expect(attempts[0]).toMatchObject({ outcome: 'timeout', response_status: null, response: null });
    expect(attempts[0]?.duration_ms).toBeGreaterThanOrEqual(99);
    expect(between(created_at, next_attempt_at)).toBeGreaterThanOrEqual(5 * MINUTE_MS);
  });

  it.each([
    ['the configured number of bytes', { 'delivery.response': '10B' }, 10],
    ['nothing for a limit of 0', { 'delivery.response': '0B' }, 0],
  ])(
    'an attempt stores %s of the response and marks it as truncated [delivery.response]',
    async (_, overrides, kept) => {
      const { deliver } = await startDeliverySetup({ body: 'x'.repeat(kept + 1) }, { overrides });
      const { status, attempts } = await deliver();
      expect(status).toBe('succeeded');
      expect(attempts[0]?.response).toMatchObject({ body: 'x'.repeat(kept), truncated: true });
    },
  );
});

it('a URL that is not valid fails the attempt without a request, and the retry follows the schedule', async () => {
  const { endpoint, trigger, store, get, sent, faults, moveTo } = startDispatcher();
  const seq = store.webhooks.findSeq(endpoint().id) ?? 0;
  store.writeNow(() => store.webhooks.update({ ...store.webhooks.getBySeq(seq), url: 'nonsense' }));
  const [id = ''] = await trigger();
  expect(get(id)).toMatchObject({
    status: 'pending',
    attempt_count: 1,
    last_outcome: 'connection_error',
  });
  expect(get(id).last_error).toMatch(/^nothing was sent: .*Invalid URL/);
  await moveTo(Number(get(id).due_at));
  expect([get(id).attempt_count, sent, faults]).toEqual([2, [], []]);
});
