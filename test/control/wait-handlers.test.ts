/** The operation that waits for deliveries, over HTTP. test/client/wait.test.ts tests the wait itself. */
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLinkedController } from '../../src/abort-signals.ts';
import { createHttpControlClient } from '../../src/client/http-control-client.ts';
import type { ControlInput } from '../../src/contract/control-operations.ts';
import type { ControlPlane } from '../../src/contract/control-plane.ts';
import { SharedChanges } from '../../src/control/shared-changes.ts';
import { createWaitHandlers } from '../../src/control/wait-handlers.ts';
import { HOUR_MS } from '../../src/domain/duration.ts';
import { aDelivery, clockAt, pageOf, streamOf } from '../cli/fake-context.ts';
import { createGate } from '../delivery/sender-setup.ts';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';
import { createReceiver, type Receiver } from '../support/test-receiver.ts';

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
  it('a wait for an event responds when its deliveries have settled', async () => {
    await register();
    const event_id = await trigger();
    await trigger('invoice.paid');
    await expect(wait({ event_id, status: 'succeeded' })).resolves.toMatchObject({
      settled: true,
      message: null,
      counts: { pending: 0, succeeded: 1, failed: 0, canceled: 0 },
      data: [{ event_id, status: 'succeeded', attempt_count: 1 }],
      has_more: false,
    });
  });

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
    await expect(wait({ workspace_id: other.id, timeout: '0s' })).resolves.toMatchObject({ settled: false });
  });

  it('a wait for one delivery ignores the others, and has the fields of a list', async () => {
    await register(['order.shipped']);
    const failing = await control.createWebhook({ url: 'http://127.0.0.1:9/', events: ['order.shipped'] });
    const event_id = await trigger();
    const { data } = await control.listDeliveries({ event_id });
    const delivery_id = data.find(({ webhook_id }) => webhook_id !== failing.id)?.id ?? '';
    const report = await wait({ delivery_id });
    expect(report.data).toEqual((await control.listDeliveries({ event_id, status: 'succeeded' })).data);
    expect([report.settled, report.data.map(({ id }) => id)]).toEqual([true, [delivery_id]]);
  });

  it('a wait whose time is over says what is missing and how to continue, and the request that it names works', async () => {
    const gate = createGate();
    receiver.respond({ after: gate.opened });
    await register();
    const event_id = await trigger();
    await receiver.request(1);
    await expect(wait({ event_id, timeout: '10ms' })).resolves.toMatchObject({
      settled: false,
      message: `1 delivery has not settled after 10ms. Repeat the request to wait longer, or send the attempt that is due next with POST /_svc/clock/next and {"workspace_id": "${workspace_id}"}.`,
      counts: { pending: 1 },
      data: [{ status: 'pending', attempt_count: 0 }],
    });
    const waiting = wait({ event_id });
    gate.open();
    await control.nextClock({ workspace_id });
    await expect(waiting).resolves.toMatchObject({ settled: true, data: [{ attempt_count: 1 }] });
  });

  it('a wait ends at once if no attempt is due before its time limit, and says how to find out why the last one failed', async () => {
    receiver.respond([500, 200]);
    await register();
    const event_id = await trigger();
    await receiver.request(1);
    await control.advanceClock({ ms: 0 });
    const [failing] = (await control.listDeliveries({ event_id })).data;
    await expect(wait({ event_id })).resolves.toMatchObject({
      settled: false,
      message: `1 delivery cannot settle within 30s: the next attempt is due in 5m, and the clock is frozen. Show why with GET /_svc/deliveries/${failing?.id}/explanation.`,
      counts: { pending: 1 },
      data: [{ status: 'pending', attempt_count: 1, last_attempt: { response_status: 500 } }],
    });
    await control.setClock({ frozen: false, speed: 2 });
    expect((await wait({ event_id })).message).toMatch(
      /: the next attempt is due in (?:5m|4m59s), at speed 2\. Show why/,
    );
    await control.setClock({ frozen: true, speed: 1 });
    const waiting = wait({ event_id, keep_waiting: true });
    await control.advanceClock({ by: '5m' });
    await expect(waiting).resolves.toMatchObject({ settled: true, data: [{ attempt_count: 2 }] });
  });

  it('a wait for a status ends when a delivery settles with another one', async () => {
    receiver.respond(410);
    await register();
    const event_id = await trigger();
    const waiting = wait({ event_id, status: 'succeeded', keep_waiting: true });
    await control.settleClock({});
    const { settled, message, data } = await waiting;
    expect(settled).toBe(false);
    expect(message).toBe(
      `1 delivery has settled with a different status: ${data[0]?.id} is failed. Show its attempts with GET /_svc/deliveries/${data[0]?.id}.`,
    );
  });

  it('a wait ends at once if all deliveries are paused, and says which endpoint to enable', async () => {
    receiver.respond(500);
    const { id } = await register();
    const event_id = await trigger();
    await receiver.request(1);
    await control.updateWebhook({ id, disabled: true });
    await expect(wait({ event_id })).resolves.toMatchObject({
      settled: false,
      message: `1 delivery is paused: ${id} is disabled. Enable it with PATCH /_svc/webhooks/${id} and {"disabled": false}.`,
    });
  });

  it('a wait for an event without deliveries ends at once and says why', async () => {
    await register(['invoice.paid']);
    const event_id = await trigger();
    await expect(wait({ event_id })).resolves.toMatchObject({
      settled: false,
      message: `No enabled endpoint subscribed to the type of ${event_id} when it was created, so it has no deliveries. List the endpoints and their event types with GET /_svc/webhooks.`,
      data: [],
      end_cursor: null,
    });
  });

  it('a wait for deliveries that do not exist yet says how many have come', async () => {
    await register();
    await wait({ event_id: await trigger() });
    const { message } = await wait({ count: 3, timeout: '1ms' });
    expect(message).toBe('Only 1 of 3 deliveries settled within 1ms. Repeat the request to wait longer.');
    const { message: noneMessage } = await wait({ type: 'a.b', timeout: '1ms' });
    expect(noneMessage).toMatch(/^No delivery matched within 1ms\. List the endpoints/);
  });

  it('a reset ends a wait for an event that it removes, and other waits see only the new deliveries', async () => {
    receiver.respond([500, 200]);
    await register();
    const event_id = await trigger();
    await receiver.request(1);
    const following = vi.spyOn(SharedChanges.prototype, 'waitForCommit');
    const waits = [wait({ event_id, keep_waiting: true }), wait({ workspace_id, keep_waiting: true })];
    await expect.poll(() => new Set(following.mock.calls.map(([signal]) => signal)).size).toBe(2);
    await control.reset({});
    await expect(waits[0]).rejects.toMatchObject({ code: 'not_found' });
    await register();
    const second = await trigger();
    await expect(waits[1]).resolves.toMatchObject({ settled: true, data: [{ event_id: second }] });
  });

  it('a wait ends when its client disconnects', async () => {
    const following = vi.spyOn(SharedChanges.prototype, 'waitForCommit');
    const disconnecting = new AbortController();
    const waiting = control.waitForDeliveries({ timeout: '60s' }, disconnecting.signal);
    await expect.poll(() => following).toHaveBeenCalled();
    disconnecting.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'interrupted' });
    await expect.poll(() => following.mock.lastCall?.[0].aborted).toBe(true);
  });

  it('a wait ends with an error when the emulator stops', async () => {
    const stopping = await startTestEmulator();
    const client = createHttpControlClient({ controlUrl: stopping.status().control_url });
    const following = vi.spyOn(SharedChanges.prototype, 'waitForCommit');
    const waiting = expect(client.waitForDeliveries({})).rejects.toThrow('The emulator is stopping.');
    await expect.poll(() => following).toHaveBeenCalled();
    await stopping.close();
    await waiting;
  });

  it.each<[string, string, Record<string, unknown>]>([
    [
      'validation_failed',
      'timeout must be a duration from 0ms to 1m, written like "90s" or "1h30m", not "61s".',
      { timeout: '61s' },
    ],
    [
      'validation_failed',
      'timeout must be a duration from 0ms to 1m, written like "90s" or "1h30m", not "Infinity".',
      { timeout: 'Infinity' },
    ],
    [
      'validation_failed',
      'timeout must be a duration from 0ms to 1m, written like "90s" or "1h30m", not 30.',
      { timeout: 30 },
    ],
    ['validation_failed', 'timeout_ms must be a whole number from 0 to 60000, not -1.', { timeout_ms: -1 }],
    ['validation_failed', 'count must be a whole number from 1 to 1000000, not 0.', { count: 0 }],
    ['validation_failed', 'status must be one of', { status: 'pending' }],
    ['validation_failed', 'text must be at most 1000 characters long.', { text: 'x'.repeat(1001) }],
    ['validation_failed', 'since must be a duration', { since: 'yesterday' }],
    ['validation_failed', 'event is not a known field.', { event: 'evt_1' }],
    ['validation_failed', 'event_id must', { event_id: "' OR 1=1" }],
    [
      'validation_failed',
      'The body must not combine delivery_id with a filter or with count.',
      { delivery_id: 'del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D', type: 'a.b' },
    ],
    [
      'validation_failed',
      'The body must not combine delivery_id with a filter or with count.',
      { delivery_id: 'del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D', count: 2 },
    ],
    ['not_found', 'does not exist', { delivery_id: 'del_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D' }],
    ['not_found', 'does not exist', { event_id: 'evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D' }],
    ['not_found', 'does not exist', { webhook_id: 'wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D' }],
    ['not_found', 'does not exist', { workspace_id: 'ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D', since: '1h' }],
  ])('an invalid wait is rejected with %s: %s', async (code, message, input) => {
    const error = await wait(input).catch((thrown) => thrown);
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(message)]);
  });
});

describe('createWaitHandlers', () => {
  it('at most 256 waits run at the same time, and one that its client leaves makes room at once', async () => {
    const fake = {
      listDeliveries: async () => pageOf(aDelivery({ id: 'del_1', status: 'pending' })),
      stream: (_: unknown, signal: AbortSignal) => ({
        ready: Promise.resolve(),
        async *[Symbol.asyncIterator]() {
          yield* [];
          if (!signal.aborted) await once(signal, 'abort');
        },
      }),
      getClock: clockAt().getClock,
    };
    // Like that of the emulator, it has any number of listeners.
    const { signal: closing } = createLinkedController([]);
    const handlers = createWaitHandlers(() => fake as unknown as ControlPlane, closing);
    const start = (end: AbortController) =>
      handlers
        .waitForDeliveries({ timeout_ms: HOUR_MS, keep_waiting: true }, end.signal)
        .catch(({ code }) => code);
    const clients = Array.from({ length: 256 }, () => new AbortController());
    const waits = clients.map(start);
    expect(await start(new AbortController())).toBe('rate_limited');
    clients[0]?.abort();
    await waits[0];
    const late = new AbortController();
    const admitted = start(late);
    expect(await start(new AbortController())).toBe('rate_limited');
    for (const client of [...clients, late]) client.abort();
    expect(new Set(await Promise.all([...waits, admitted]))).toEqual(new Set(['interrupted']));
  });

  const report = (
    deliveries: ReturnType<typeof aDelivery>[],
    input: ControlInput<'waitForDeliveries'> = {},
  ) => {
    const fake = {
      ...{ listDeliveries: async () => pageOf(...deliveries), stream: () => streamOf([]) },
      getClock: clockAt().getClock,
    };
    const handlers = createWaitHandlers(() => fake as unknown as ControlPlane, new AbortController().signal);
    return handlers.waitForDeliveries(input as Parameters<typeof handlers.waitForDeliveries>[0], undefined);
  };

  it('a wait lists the thousand newest deliveries and counts all of them', async () => {
    const ids = Array.from({ length: 1_001 }, (_, index) => `del_${1_000 + index}`);
    const result = await report(ids.map((id) => aDelivery({ id, status: 'succeeded' })));
    expect(result).toMatchObject({ settled: true, message: null, has_more: true, end_cursor: 'del_1001' });
    expect(result.counts).toEqual({ pending: 0, succeeded: 1_001, failed: 0, canceled: 0 });
    expect(result.data.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 1_000));
  });

  it('a wait names the newest of several deliveries that have settled with a different status', async () => {
    const deliveries = [
      aDelivery({ id: 'del_1', status: 'canceled' }),
      aDelivery({ id: 'del_2', status: 'failed' }),
      aDelivery({ id: 'del_3', status: 'succeeded' }),
    ];
    expect(await report(deliveries, { status: 'succeeded' })).toMatchObject({
      settled: false,
      message:
        '2 deliveries have settled with a different status: del_2 is failed. Show its attempts with GET /_svc/deliveries/del_2.',
      counts: { pending: 0, succeeded: 1, failed: 1, canceled: 1 },
    });
  });
});
