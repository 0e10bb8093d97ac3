/** The operation that waits for deliveries, over HTTP. test/diagnosis/describe-wait.test.ts tests its texts. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHttpControlClient } from '../../../src/client/http-client.ts';
import type { ControlInput } from '../../../src/operations/control-operations.ts';
import type { ControlPlane } from '../../../src/operations/control-plane.ts';
import { DeliveryQueries } from '../../../src/store/delivery-queries.ts';
import { startTestEmulator, type TestEmulator } from '../../support/test-emulator.ts';
import { createReceiver, type Receiver } from '../../support/test-receiver.ts';
import { createGate } from '../deliveries/sender-setup.ts';

let emulator: TestEmulator;
let control: ControlPlane;
let receiver: Receiver;
let workspace_id: string;
beforeAll(async () => {
  emulator = await startTestEmulator();
  control = createHttpControlClient({ controlUrl: emulator.status().control_url });
  workspace_id = emulator.status().workspace_id;
});
beforeEach(async () => {
  await control.reset({});
  receiver = await createReceiver();
});
afterEach(() => receiver.close());
afterAll(() => emulator.close());

async function trigger(type = 'order.shipped'): Promise<string> {
  const { json } = await emulator.api('POST', '/events', { type });
  return json.id;
}

const wait = (input: ControlInput<'waitForDeliveries'> = {}) => control.waitForDeliveries(input);
const register = (events = ['*']) => control.createWebhook({ url: receiver.url, events });

describe('POST /_svc/deliveries/wait', () => {
  it('a wait that began before an event responds when it has been delivered', async () => {
    await register();
    const waiting = wait({ type: 'order.shipped', count: 2 });
    const ids = [await trigger(), await trigger('invoice.paid'), await trigger()];
    const { settled, data } = await waiting;
    expect([settled, data.map(({ event_id }) => event_id)]).toEqual([true, [ids[2], ids[0]]]);
  });

  it('an empty wait responds when every delivery of the workspace has settled', async () => {
    await register();
    await Promise.all([trigger(), trigger('invoice.paid'), trigger()]);
    const response = await fetch(`${emulator.status().control_url}/deliveries/wait`, { method: 'POST' });
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { settled: true, counts: { pending: 0, succeeded: 3 } },
    ]);
    const other = await control.createWorkspace({ name: 'Other' });
    await expect(wait({ workspace_id: other.id, timeout_ms: 0 })).resolves.toMatchObject({ settled: false });
  });

  it('a wait for one delivery ignores the others, and has the fields of a list', async () => {
    await register(['order.shipped']);
    const failing = await control.createWebhook({ url: 'http://127.0.0.1:9/', events: ['order.shipped'] });
    const event_id = await trigger();
    const { data } = await control.listDeliveries({ event_id });
    const id = data.find(({ webhook_id }) => webhook_id !== failing.id)?.id ?? '';
    const report = await wait({ ids: [id] });
    expect(report.data).toEqual((await control.listDeliveries({ event_id, status: 'succeeded' })).data);
    expect([report.settled, report.data.map((delivery) => delivery.id)]).toEqual([true, [id]]);
  });

  it('a wait whose time is over says what is missing and how to continue', async () => {
    const gate = createGate();
    receiver.respond({ after: gate.opened });
    await register();
    const event_id = await trigger();
    await receiver.request(1);
    await expect(wait({ event_id, timeout_ms: '10ms' })).resolves.toMatchObject({
      settled: false,
      reason: 'timeout',
      details: [expect.stringMatching(/^del_\w+ pending after 0 attempts, next attempt due now$/)],
      counts: { pending: 1 },
      data: [{ status: 'pending', attempt_count: 0 }],
    });
    const waiting = wait({ event_id });
    gate.open();
    await expect(waiting).resolves.toMatchObject({ settled: true, data: [{ attempt_count: 1 }] });
  });

  it('a wait ends early if no attempt is due before its time limit, and says how to find out why the last one failed', async () => {
    receiver.respond([500, 200]);
    await register();
    const event_id = await trigger();
    await receiver.request(1);
    await control.advanceClock({ ms: 0 });
    const [failing] = (await control.listDeliveries({ event_id })).data;
    await expect(wait({ event_id })).resolves.toMatchObject({
      settled: false,
      reason: 'stalled',
      message: expect.stringMatching(/: the next attempt is due in 5m, and the clock is frozen\.$/),
      details: [expect.stringMatching(`^${failing?.id} failing after 1 attempt, next attempt in 5m`)],
      hint: { command: `svc explain ${failing?.id}` },
      counts: { pending: 1 },
      data: [{ status: 'pending', attempt_count: 1, last_attempt: { response_status: 500 } }],
    });
    await control.setClock({ frozen: false, speed: 2 });
    expect((await wait({ event_id })).message).toMatch(/: the next attempt is due in .+, at speed 2\.$/);
    await control.setClock({ frozen: true, speed: 1 });
    const waiting = wait({ event_id, keep_waiting: true });
    await control.advanceClock({ ms: '5m' });
    await expect(waiting).resolves.toMatchObject({ settled: true, data: [{ attempt_count: 2 }] });
  });

  it('a wait for a status ends when a delivery settles with another one', async () => {
    receiver.respond([200, 410]);
    await register();
    await trigger();
    await control.settleClock({});
    const [replayed] = (await control.listDeliveries({})).data;
    await control.replayDelivery({ id: replayed?.id ?? '' });
    await trigger();
    const waiting = wait({ status: 'succeeded', keep_waiting: true });
    await control.settleClock({});
    const { reason, message, hint, details, data } = await waiting;
    expect([reason, message]).toEqual(['unexpected_status', `${data[0]?.id} is failed, not succeeded.`]);
    expect(hint).toEqual({ text: 'Show why', command: `svc explain ${data[0]?.id}` });
    expect(details).toHaveLength(2);
    expect((await wait({ status: 'failed' })).details).toEqual([details[1]]);
  });

  it('a wait for an event without deliveries ends early and says why', async () => {
    const { id } = await register(['invoice.paid']);
    const event_id = await trigger();
    await expect(wait({ event_id })).resolves.toMatchObject({
      reason: 'stalled',
      details: [expect.stringMatching(`^${event_id} has no deliveries: .* order.shipped when`)],
      hint: { command: `svc webhooks update ${id} --events invoice.paid,order.shipped` },
      data: [],
      end_cursor: null,
    });
  });

  it('a wait without deliveries names the meant type, the other types and the requests that the API rejected', async () => {
    await emulator.api('POST', '/events', { type: 'no' });
    await emulator.api('POST', '/events', {}, { authorization: 'Bearer x' });
    const { details, hint } = await wait({ timeout_ms: 0 });
    const rejected = ['401 unauthenticated', '422 validation_failed'].map(
      (response) => `POST /v1/events was rejected: ${response}.`,
    );
    expect([details.slice(1), hint?.command]).toEqual([rejected, 'svc webhooks create --url URL']);
    await emulator.api('POST', '/events', { type: 'invoice.paid' });
    const mistyped = await wait({ type: 'order.shiped', timeout_ms: 0 });
    const others = ['Did you mean order.shipped?', 'Events of other types: invoice.paid.'];
    expect(mistyped.details.slice(1)).toEqual([...others, ...rejected]);
  });

  it('a wait without retries ends when each attempt that is due has a result, also without deliveries', async () => {
    expect(await wait({ retries: false })).toMatchObject({ reason: 'settled', message: null, details: [] });
    receiver.respond([200, 500]);
    await register();
    await trigger();
    const event_id = await trigger();
    const report = await wait({ retries: false });
    expect(report).toMatchObject({ settled: true, message: null, counts: { pending: 1, succeeded: 1 } });
    const [failing] = report.data.filter(({ status }) => status === 'pending');
    expect(failing).toMatchObject({ event_id, attempt_count: 1 });
    expect(report.details).toEqual([expect.stringContaining(`${failing?.id} failing after 1 attempt`)]);
    expect(report.hint).toEqual({ text: 'Show why', command: `svc explain ${failing?.id}` });
    const paused = await control.updateWebhook({ id: failing?.webhook_id ?? '', disabled: true });
    await control.replayDelivery({ id: failing?.id ?? '' });
    expect(await wait({ ids: [failing?.id ?? ''], retries: false })).toMatchObject({
      reason: 'stalled',
      message: `1 delivery is paused: ${paused.id} is disabled.`,
    });
  });

  it('a wait describes at most twenty deliveries, and counts all', async () => {
    receiver.respond(410);
    await register();
    for (let count = 0; count < 22; count++) await trigger();
    await control.settleClock({});
    const { details, counts, data, has_more } = await wait({ limit: 5 });
    expect([details.length, details.at(-1), counts.failed]).toEqual([21, '… and 2 more.', 22]);
    expect([data.length, has_more]).toEqual([5, true]);
  });

  it('a reset ends a wait for an event that it removes, and other waits see only the new deliveries', async () => {
    receiver.respond([500, 200]);
    await register();
    const event_id = await trigger();
    await receiver.request(1);
    const counting = vi.spyOn(DeliveryQueries.prototype, 'countMatches');
    const waits = [wait({ event_id, keep_waiting: true }), wait({ workspace_id, keep_waiting: true })];
    await expect.poll(() => counting.mock.calls.length).toBeGreaterThanOrEqual(2);
    await control.reset({});
    await expect(waits[0]).rejects.toMatchObject({ code: 'not_found' });
    await register();
    const second = await trigger();
    await expect(waits[1]).resolves.toMatchObject({ settled: true, data: [{ event_id: second }] });
  });

  it('a wait ends when its client disconnects', async () => {
    const counting = vi.spyOn(DeliveryQueries.prototype, 'countMatches');
    const disconnecting = new AbortController();
    const waiting = control.waitForDeliveries({ timeout_ms: '60s' }, disconnecting.signal);
    await expect.poll(() => counting).toHaveBeenCalled();
    disconnecting.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('a wait ends with an error when the emulator stops', async () => {
    const stopping = await startTestEmulator();
    const client = createHttpControlClient({ controlUrl: stopping.status().control_url });
    const counting = vi.spyOn(DeliveryQueries.prototype, 'countMatches');
    const waiting = expect(client.waitForDeliveries({})).rejects.toThrow('The emulator is stopping.');
    await expect.poll(() => counting).toHaveBeenCalled();
    await stopping.close();
    await waiting;
  });

  it.each<[string, Record<string, unknown>]>([
    ['validation_failed', { timeout_ms: '25h' }],
    ['validation_failed', { count: 0 }],
    ['validation_failed', { status: 'pending' }],
    ['validation_failed', { since: 'yesterday' }],
    ['validation_failed', { event_id: "' OR 1=1" }],
    ['validation_failed', { ids: [] }],
    ['not_found', { ids: ['del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D'] }],
    ['not_found', { workspace_id: 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D', since: '1h' }],
  ])('an invalid wait is rejected with %s: %j', async (code, input) => {
    await expect(wait(input)).rejects.toMatchObject({ code });
  });
});
