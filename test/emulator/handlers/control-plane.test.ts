/** Tests the control plane in this process. test/http/control-api.test.ts tests it over HTTP. */
import { getEventListeners } from 'node:events';
import * as v from 'valibot';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHttpControlClient } from '../../../src/client/http-client.ts';
import { controlOperations } from '../../../src/operations/control-operations.ts';
import type { ControlPlane } from '../../../src/operations/control-plane.ts';
import type { Delivery } from '../../../src/resources/delivery.ts';
import { useFakeTimers } from '../../support/fake-timers.ts';
import { startTestEmulator, type TestEmulator } from '../../support/test-emulator.ts';
import { createReceiver, type Receiver } from '../../support/test-receiver.ts';
import { createTestWallClock } from '../../support/test-wall-clock.ts';

/** The same control plane; every output is held against the schema of its operation, unknown fields included. */
function checked(control: ControlPlane): ControlPlane {
  return new Proxy(control, {
    get(target, name: keyof ControlPlane) {
      if (name === 'stream' || name === 'exportDeliveries') return target[name];
      return async (input: never) => {
        const output = await target[name](input);
        expect(v.parse<v.GenericSchema>(controlOperations[name].output, output)).toEqual(output);
        return output;
      };
    },
  });
}

const unknown = '01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';

let emulator: TestEmulator;
let control: ControlPlane;
let workspaceId: string;
let receiver: Receiver;
const wall = createTestWallClock();
beforeAll(async () => {
  emulator = await startTestEmulator({ wall });
  control = checked(emulator.control);
  workspaceId = emulator.status().workspace_id;
});
beforeEach(async () => {
  await control.reset({});
  receiver = await createReceiver();
});
afterEach(() => receiver.close());
afterAll(() => emulator.close());

const register = () => control.createWebhook({ url: receiver.url });

async function trigger(type = 'order.shipped'): Promise<string> {
  return (await emulator.api('POST', '/events', { type })).json.id;
}

/** The delivery of an event to one endpoint after its first attempt. */
async function settled(event_id: string) {
  await control.advanceClock({ ms: 0 });
  const { data } = await control.listDeliveries({ event_id });
  return data[0] as Delivery;
}

it('a stream that its reader leaves removes its listeners from the signal', async () => {
  await trigger();
  const { signal } = new AbortController();
  for await (const _ of control.stream({ since_sequence: 0 }, signal)) break;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

describe('status', () => {
  it('the status describes the emulator', async () => {
    const status = await control.getStatus({});
    const { boot_ms, ...ready } = emulator.status();
    expect(status).toMatchObject({ ...ready, deliveries: { pending: 0, in_flight: 0 } });
    expect(status.started_at).toBe(new Date(wall.now()).toISOString());
    expect(boot_ms).toBeGreaterThanOrEqual(0);
  });

  it('the emulator stops', async () => {
    const stopping = await startTestEmulator();
    const { control_url: controlUrl } = stopping.status();
    await expect(stopping.control.stop({})).resolves.toEqual({ stopping: true });
    await stopping.closed;
    const nobody = createHttpControlClient({ controlUrl }).getStatus({});
    await expect(nobody).rejects.toMatchObject({ code: 'no_emulator' });
  });
});

describe('workspaces', () => {
  it('workspaces are created, retrieved and listed, newest first', async () => {
    const second = await control.createWorkspace({ name: 'Second' });
    expect(second).toMatchObject({ name: 'Second', environment: 'sandbox' });
    await expect(control.getWorkspace({ id: second.id })).resolves.toEqual(second);
    const { data } = await control.listWorkspaces({});
    expect(data.map(({ id }) => id)).toEqual([second.id, workspaceId]);
  });
});

describe('webhooks', () => {
  it('endpoints are changed under the rules of their creation [§2.webhook.events]', async () => {
    const { id } = await register();
    const changed = await control.updateWebhook({ id, url: `${receiver.url}/new`, events: ['a.b'] });
    expect(changed).toMatchObject({ url: `${receiver.url}/new`, events: ['a.b'], disabled: false });
    await expect(control.getWebhook({ id })).resolves.toMatchObject(changed);
    for (const change of [{ url: 'ftp://a.example' }, { url: 'http://a.example/' }, { events: [] }]) {
      const update = control.updateWebhook({ id, ...change });
      await expect(update).rejects.toMatchObject({ code: 'validation_failed' });
    }
    await expect(control.getWebhook({ id })).resolves.toMatchObject(changed);
    const { host } = new URL(receiver.url);
    expect(await control.updateWebhook({ id, url: `${host}/a` })).toMatchObject({
      url: `http://${host}/a`,
    });
  });

  it('the endpoints of a listener exist while a stream listens to them, and the stream shows only their deliveries', async () => {
    const { id } = await control.createWebhook({ url: receiver.url, listener: true });
    await register();
    for await (const _ of control.stream({ listener: id }, AbortSignal.abort())) expect.unreachable();
    const following = new AbortController();
    const stream = control.stream({ listener: id, types: 'attempt', since_sequence: 0 }, following.signal);
    const items = stream[Symbol.asyncIterator]();
    for (let i = 0; i < 2; i++) await trigger();
    for (let i = 0; i < 2; i++) {
      expect((await items.next()).value).toMatchObject({ delivery: { webhook_id: id } });
    }
    // Only now: a timer commits the results of attempts.
    useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    vi.advanceTimersByTime(3_600_000);
    await expect(control.getWebhook({ id })).resolves.toMatchObject({ id, listener: true });
    following.abort();
    const isThere = () =>
      control.getWebhook({ id }).then(
        () => true,
        () => false,
      );
    while (await isThere()) {
      vi.advanceTimersByTime(10_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const followAgain = async () => {
      const { signal } = new AbortController();
      await control.stream({ listener: id }, signal)[Symbol.asyncIterator]().next();
    };
    await expect(followAgain()).rejects.toMatchObject({ code: 'not_found' });
  });

  it('only a local endpoint can have a header Host, which its deliveries then have', async () => {
    const headers = { Host: 'tenant.test' };
    const webhook = await control.createWebhook({ url: receiver.url, headers, events: ['host.changed'] });
    await trigger('host.changed');
    const [request] = await receiver.waitFor(1);
    expect(request?.headers.host).toBe('tenant.test');
    const rejection = {
      code: 'validation_failed',
      message: 'headers cannot have Host, because https://hooks.example.com/ is not a local endpoint.',
    };
    const url = 'https://hooks.example.com/';
    await expect(control.createWebhook({ url, headers })).rejects.toMatchObject(rejection);
    await expect(control.updateWebhook({ id: webhook.id, url })).rejects.toMatchObject(rejection);
    await control.updateWebhook({ id: webhook.id, url, headers: {} });
    await expect(control.updateWebhook({ id: webhook.id, headers })).rejects.toMatchObject(rejection);
  });

  it('a listener uses a permanent endpoint with its URL that gets some of the same events, unchanged', async () => {
    const { origin } = new URL(receiver.url);
    const headers = { A: 'b' };
    const permanent = await control.createWebhook({ url: origin, events: ['a.b', 'c.d'], headers });
    const listen = (events: string[]) =>
      control.createWebhook({ url: `${origin}/`, events, listener: true, reuse: true });
    expect(await listen(['c.d', 'e.f'])).toEqual(permanent);
    expect(await listen(['e.f'])).toMatchObject({ listener: true, events: ['e.f'] });
  });

  it('a listener uses the endpoint that a stream holds for its URL if it gets some of the same events', async () => {
    const ended = new AbortController();
    onTestFinished(() => ended.abort());
    const listen = (events: string[], listener = true) =>
      control.createWebhook({ url: receiver.url, events, listener, reuse: true });
    const first = await listen(['a.b', 'c.d']);
    const stream = control.stream({ listener: first.id }, ended.signal);
    // In this process, a stream begins with its first item.
    void stream[Symbol.asyncIterator]().next();
    await stream.ready;
    expect(await listen(['*'])).toEqual({ ...first, shared: true });
    expect(await listen(['c.d'], false)).toEqual({ ...first, shared: true });
    // These events arrive once.
    expect((await listen(['e.f'])).id).not.toBe(first.id);
    ended.abort();
    await expect.poll(() => listen(['*'])).toMatchObject({ listener: true, events: ['*'] });
  });

  it('revealSecret returns the current and the previous secret of an endpoint', async () => {
    const { id, secret } = await register();
    await expect(control.revealSecret({ id })).resolves.toEqual({ secret, previous_secret: null });
    const rotated = await control.rotateWebhookSecret({ id });
    await expect(control.revealSecret({ id })).resolves.toEqual({
      secret: rotated.secret,
      previous_secret: secret,
    });
  });
});

describe('deliveries', () => {
  it('deliveries are retrieved with their attempts [§6.retries.visible, §2.delivery]', async () => {
    receiver.respond([{ status: 503, headers: { 'x-why': 'busy' }, body: 'later' }]);
    const { id: webhook_id } = await register();
    const event_id = await trigger();
    const { id } = await settled(event_id);
    const delivery = await control.getDelivery({ id });
    expect(delivery).toMatchObject({
      ...{ event_id, event_type: 'order.shipped', webhook_id, url: receiver.url, status: 'pending' },
      attempts: [{ number: 1, outcome: 'http_error', response_status: 503, response: { body: 'later' } }],
    });
    const [sent] = receiver.requests;
    expect(delivery.attempts[0]?.request.body).toBe(sent?.body.toString());
    expect(delivery.attempts[0]?.request.headers).toMatchObject({ 'Service-Delivery-Id': id });
    const timestamp = sent?.headers['service-timestamp'];
    expect(delivery.attempts[0]?.request.signed_content).toBe(`${timestamp}.${sent?.body}`);
  });

  it('a delivery has the due times of its remaining attempts', async () => {
    receiver.respond([{ status: 500 }, { status: 200 }]);
    await register();
    const { id, created_at, next_attempt_at } = await settled(await trigger());
    const { due_times } = await control.getDelivery({ id });
    expect(due_times).toHaveLength(7);
    expect(due_times[0]).toBe(next_attempt_at);
    const last = Date.parse(created_at) + (68 * 60 + 35) * 60_000;
    expect(due_times.at(-1)).toBe(new Date(last).toISOString());
    await control.nextClock({});
    expect((await control.getDelivery({ id })).due_times).toEqual([]);
  });
});

it('keys and endpoints are listed by workspace, without their secrets', async () => {
  const { id: workspace_id } = await control.createWorkspace({ name: 'Second' });
  const { key: _, ...key } = await control.createKey({ scopes: ['events:read'], workspace_id });
  const { secret: __, ...endpoint } = await control.createWebhook({ url: receiver.url, workspace_id });
  expect((await control.listKeys({ workspace_id })).data).toEqual([key]);
  expect((await control.listWebhooks({ workspace_id })).data).toEqual([endpoint]);
  expect((await control.listWebhooks({ workspace_id: workspaceId })).data).toEqual([]);
});

it('events are retrieved with the request that created them', async () => {
  const created = await emulator.api('POST', '/events', '{"type":"a.b","payload":{"n":[12.50,"2"]}}');
  await expect(control.getEvent({ id: created.json.id })).resolves.toEqual({
    ...created.json,
    request_id: created.headers.get('request-id'),
    payload_text: '{"n":[12.50,"2"]}',
  });
});

it.each<[Exclude<keyof ControlPlane, 'stream'>, object, string]>([
  ['getWorkspace', { id: `ws_${unknown}` }, 'not_found'],
  ['revokeKey', { id: `key_${unknown}` }, 'not_found'],
  ['createKey', { scopes: ['events:read'], workspace_id: `ws_${unknown}` }, 'not_found'],
  ['updateWebhook', { id: `wh_${unknown}`, disabled: true }, 'not_found'],
  ['connectWebhook', { id: `wh_${unknown}` }, 'not_found'],
  ['getDelivery', { id: 'no/id?at=all' }, 'not_found'],
  ['getEvent', { id: `evt_${unknown}` }, 'not_found'],
  ['revealSecret', { id: `wh_${unknown}` }, 'not_found'],
  ['verifyDelivery', { id: `del_${unknown}` }, 'not_found'],
  ['getFixture', { type: '../events/order.shipped' }, 'not_found'],
  ['listKeys', { workspace_id: `ws_${unknown}` }, 'not_found'],
  ['listWebhooks', { workspace_id: `ws_${unknown}` }, 'not_found'],
  ['listDeliveries', { webhook_id: `wh_${unknown}` }, 'not_found'],
  ['addFault', { on: 'delivery', kind: 'drop', webhook_id: `wh_${unknown}` }, 'not_found'],
  ['addFault', { on: 'request', status: 503, api_key_id: `key_${unknown}` }, 'not_found'],
  ['addFault', { on: 'request', status: 503, workspace_id: `ws_${unknown}` }, 'not_found'],
  ['listFaults', { workspace_id: `ws_${unknown}` }, 'not_found'],
  ['clearFaults', { workspace_id: `ws_${unknown}` }, 'not_found'],
  ['clearFaults', { id: `flt_${unknown}` }, 'not_found'],
  ['createWorkspace', { name: 'a\nb' }, 'validation_failed'],
  ['listWorkspaces', { limit: 1001 }, 'invalid_request'],
  ['listWorkspaces', { starting_after: `ws_${unknown}` }, 'invalid_request'],
  ['listKeys', { starting_after: 'key' }, 'invalid_request'],
  ['listDeliveries', { since: 'yesterday' }, 'invalid_request'],
  ['listEvents', { starting_after: `evt_${unknown}` }, 'invalid_request'],
  ['getStatus', { verbose: true }, 'invalid_request'],
])('%s with %j fails with %s [output.names]', async (name, input, code) => {
  await expect(control[name](input as never)).rejects.toMatchObject({ code });
});
