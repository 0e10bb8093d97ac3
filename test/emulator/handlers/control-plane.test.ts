/** Tests the control plane in this process and over HTTP. */
import { getEventListeners } from 'node:events';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHttpControlClient } from '../../../src/client/http-client.ts';
import { controlOperations } from '../../../src/operations/control-operations.ts';
import type { ControlPlane } from '../../../src/operations/control-plane.ts';
import { getCertificate } from '../../support/certificates.ts';
import { startTestEmulator, type TestEmulator } from '../../support/test-emulator.ts';
import { createReceiver, type Receiver } from '../../support/test-receiver.ts';
import { createTestWallClock } from '../../support/test-wall-clock.ts';

vi.mock('../../../src/platform/timers.ts', () => import('../../support/fakeable-timers.ts'));

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

describe.each([
  ['in this process', (emulator: TestEmulator) => emulator.control],
  [
    'over HTTP',
    (emulator: TestEmulator) => createHttpControlClient({ controlUrl: emulator.status().control_url }),
  ],
])('the control plane %s', (_, open) => {
  let emulator: TestEmulator;
  let control: ControlPlane;
  let workspaceId: string;
  let receiver: Receiver;
  const wall = createTestWallClock();
  beforeEach(async () => {
    emulator = await startTestEmulator({ wall });
    control = checked(open(emulator));
    workspaceId = emulator.status().workspace_id;
    receiver = await createReceiver();
  });
  afterEach(async () => {
    await emulator.close();
    await receiver.close();
  });

  async function register(events = ['*'], workspace_id = workspaceId) {
    const { json } = await emulator.api('POST', '/webhooks', { workspace_id, url: receiver.url, events });
    return json as { id: string; secret: string };
  }

  async function trigger(type = 'order.shipped'): Promise<string> {
    return (await emulator.api('POST', '/events', { type })).json.id;
  }

  /** The delivery of an event to one endpoint once its attempts so far are `attempts`. */
  async function settled(event_id: string, attempts = 1) {
    const done = new AbortController();
    for await (const item of control.stream({ types: 'attempt', event_id, since_sequence: 0 }, done.signal)) {
      if (item.type === 'attempt' && item.attempt.number === attempts) return item.delivery;
    }
    throw new Error('the stream ended');
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
      const { control_url: controlUrl } = emulator.status();
      await expect(control.stop({})).resolves.toEqual({ stopping: true });
      await emulator.closed;
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

    it.each(['', 'x'.repeat(201), 'a\nb', 'half \ud800', '  ', '\u200b\u2060', '\u202e'])(
      'createWorkspace rejects the name %j [output.names]',
      async (name) => {
        await expect(control.createWorkspace({ name })).rejects.toMatchObject({ code: 'validation_failed' });
      },
    );
  });

  describe('keys', () => {
    it('keys are created with scopes, for one workspace or for all, and shown once', async () => {
      const bound = await control.createKey({ scopes: ['events:read'], workspace_id: workspaceId });
      const general = await control.createKey({ scopes: ['events:read'], workspace_id: null });
      expect(bound).toMatchObject({ workspace_id: workspaceId, scopes: ['events:read'], revoked_at: null });
      expect(general.workspace_id).toBeNull();
      expect(bound.last4).toBe(bound.key.slice(-4));
      const listed = await control.listKeys({});
      expect(listed.data.slice(0, 2).map(({ id }) => id)).toEqual([general.id, bound.id]);
      expect(JSON.stringify(listed)).not.toContain(bound.key);
    });

    it.each([
      [{ scopes: [] }, 'validation_failed'],
      [{ scopes: ['events:all'] }, 'validation_failed'],
      [{ scopes: ['events:read'], workspace_id: `ws_${unknown}` }, 'not_found'],
    ])('createKey rejects %j', async (input, code) => {
      await expect(control.createKey(input as never)).rejects.toMatchObject({ code });
    });
  });

  describe('webhooks', () => {
    it('endpoints are listed by workspace and retrieved, without their secret', async () => {
      const { id, secret } = await register();
      const { id: elsewhere } = await control.createWorkspace({ name: 'Second' });
      const webhook = await control.getWebhook({ id });
      expect(webhook).toMatchObject({ id, url: receiver.url, events: ['*'], disabled: false });
      const { statistics: _, ...listed } = webhook;
      await expect(control.listWebhooks({})).resolves.toMatchObject({ data: [listed] });
      await expect(control.listWebhooks({ workspace_id: elsewhere })).resolves.toMatchObject({ data: [] });
      expect(JSON.stringify(webhook)).not.toContain(secret);
    });

    it('endpoints are changed under the rules of their creation [§2.webhook.events]', async () => {
      const { id } = await register();
      const changed = await control.updateWebhook({ id, url: `${receiver.url}/new`, events: ['a.b'] });
      expect(changed).toMatchObject({ url: `${receiver.url}/new`, events: ['a.b'], disabled: false });
      await expect(control.getWebhook({ id })).resolves.toMatchObject(changed);
      for (const change of [
        { url: 'ftp://a.example' },
        { url: 'http://a.example/' },
        { events: [] },
        { events: ['A'] },
      ]) {
        await expect(control.updateWebhook({ id, ...change })).rejects.toMatchObject({
          code: 'validation_failed',
        });
      }
      await expect(control.getWebhook({ id })).resolves.toMatchObject(changed);
      const { host } = new URL(receiver.url);
      expect(await control.updateWebhook({ id, url: `${host}/a` })).toMatchObject({
        url: `http://${host}/a`,
      });
    });

    it('endpoints are registered with headers, without a check of the certificate, and for every type by default', async () => {
      await using secure = await createReceiver({}, { certificate: getCertificate('self-signed') });
      const webhook = await control.createWebhook({
        ...{ url: secure.url, headers: { Authorization: 'Bearer 1', 'X-Env': '' }, skip_verify: true },
      });
      const { secret, ...detail } = webhook;
      expect(detail).toMatchObject({
        ...{ workspace_id: workspaceId, events: ['*'], skip_verify: true, listener: false },
        headers: { Authorization: 'Bearer 1', 'X-Env': '' },
      });
      await expect(control.getWebhook({ id: webhook.id })).resolves.toMatchObject(detail);
      const { id } = await settled(await trigger());
      const { attempts } = await control.getDelivery({ id });
      expect(secure.requests[0]?.headers).toMatchObject({ authorization: 'Bearer 1', 'x-env': '' });
      expect(attempts[0]?.request.headers).toMatchObject({ Authorization: 'Bearer 1' });
      // What is meant for one address is not for another.
      await control.replayDelivery({ id, url: receiver.url });
      const [elsewhere] = await receiver.waitFor(1);
      expect(elsewhere?.headers).not.toHaveProperty('authorization');
      await control.updateWebhook({ id: webhook.id, headers: {}, skip_verify: false });
      const refused = await settled(await trigger());
      await expect(control.getDelivery({ id: refused.id })).resolves.toMatchObject({
        ...{ status: 'pending', attempts: [{ outcome: 'tls_error' }] },
      });
      expect(secret).toMatch(/^whsec_/);
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
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      vi.advanceTimersByTime(3_600_000);
      await expect(control.getWebhook({ id })).resolves.toMatchObject({ id, listener: true });
      following.abort();
      const isThere = () =>
        control.getWebhook({ id }).then(
          () => true,
          () => false,
        );
      // Over HTTP the emulator notices a short time later that the client has disconnected.
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

    it('a listener uses an enabled permanent endpoint with its URL that gets some of the same events, unchanged', async () => {
      const { origin } = new URL(receiver.url);
      const permanent = await control.createWebhook({
        url: origin,
        events: ['a.b', 'c.d'],
        headers: { A: 'b' },
      });
      const listen = (events: string[]) =>
        control.createWebhook({ url: `${origin}/`, events, listener: true, reuse: true });
      expect(await listen(['*'])).toEqual(permanent);
      expect(await listen(['c.d', 'e.f'])).toEqual(permanent);
      // These events arrive once.
      expect(await listen(['e.f'])).toMatchObject({ listener: true, events: ['e.f'] });
      await control.updateWebhook({ id: permanent.id, disabled: true });
      expect(await listen(['*'])).toMatchObject({ listener: true, events: ['*'] });
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
        event_id,
        event_type: 'order.shipped',
        webhook_id,
        url: receiver.url,
      });
      expect(delivery).toMatchObject({
        status: 'pending',
        attempt_count: 1,
        settled_at: null,
        replay_of: null,
      });
      expect(delivery.attempts).toEqual([
        expect.objectContaining({
          number: 1,
          trigger: 'schedule',
          outcome: 'http_error',
          response_status: 503,
          response: expect.objectContaining({
            headers: expect.objectContaining({ 'x-why': 'busy' }),
            body: 'later',
          }),
        }),
      ]);
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

  describe('events', () => {
    const createEvent = async (type: string, payload = {}) =>
      (await emulator.api('POST', '/events', { type, payload })).json;

    it('events are retrieved with the request that created them', async () => {
      const created = await emulator.api('POST', '/events', '{"type":"a.b","payload":{"n":[12.50,"2"]}}');
      await expect(control.getEvent({ id: created.json.id })).resolves.toEqual({
        ...created.json,
        request_id: created.headers.get('request-id'),
        payload_text: '{"n":[12.50,"2"]}',
      });
    });

    it('events are listed with the request that created them and the status of their deliveries', async () => {
      receiver.respond([{ status: 500 }, { status: 200 }]);
      const { id } = await register();
      const created = await emulator.api('POST', '/events', { type: 'a.b', payload: { n: 1 } });
      const { payload: _, ...facts } = created.json;
      const request_id = created.headers.get('request-id');
      await settled(facts.id);
      const list = async () => (await control.listEvents({})).data;
      const counts = { pending: 1, failing: 1, paused: 0, succeeded: 0, failed: 0, canceled: 0 };
      await expect(list()).resolves.toEqual([{ ...facts, request_id, delivery_counts: counts }]);
      const countsOfNewest = async () => (await list())[0]?.delivery_counts;
      await control.updateWebhook({ id, disabled: true });
      expect(await countsOfNewest()).toEqual({ ...counts, failing: 0, paused: 1 });
      await control.updateWebhook({ id, disabled: false });
      await control.nextClock({});
      const none = { ...counts, pending: 0, failing: 0 };
      expect(await countsOfNewest()).toEqual({ ...none, succeeded: 1 });
      await control.deleteWebhook({ id });
      await createEvent('a.b');
      expect(await countsOfNewest()).toEqual(none);
    });
  });

  describe('requests', () => {
    it('the request log contains the requests to /v1 with their results', async () => {
      const { headers } = await emulator.api('GET', '/events?limit=0');
      await control.getStatus({});
      const { data } = await control.listRequests({});
      const [key] = (await control.listKeys({})).data;
      expect(data).toEqual([
        {
          id: headers.get('request-id'),
          at: new Date(wall.now()).toISOString(),
          method: 'GET',
          path: '/v1/events?limit=0',
          status: 400,
          error_code: 'invalid_request',
          error_message: 'limit must be a whole number from 1 to 100, not 0.',
          duration_ms: 0,
          api_key_id: key?.id,
          api_key_name: 'Default key',
          workspace_id: workspaceId,
          resource_id: null,
          user_agent: 'node',
        },
      ]);
    });

    it('a logged request names the resource that it created or read', async () => {
      const { id: webhook } = await register();
      const body = { type: 'a.b' };
      const once = { 'idempotency-key': 'once' };
      const { json: event } = await emulator.api('POST', '/events', body, once);
      await emulator.api('POST', '/events', body, once);
      await emulator.api('GET', `/events/${event.id}`);
      await emulator.api('GET', `/events/evt_${unknown}`);
      await emulator.api('GET', '/events/none');
      await emulator.api('GET', `/workspaces/${workspaceId}`);
      await emulator.api('GET', '/events');
      await emulator.api('POST', '/events', {});
      const about = (await control.listRequests({})).data.map(({ resource_id }) => resource_id);
      expect(about).toEqual([
        ...[null, null, workspaceId, null, `evt_${unknown}`],
        ...[event.id, event.id, event.id, webhook],
      ]);
      const { data } = await control.listRequests({ resource_id: event.id, method: 'POST' });
      expect(data.map(({ method }) => method)).toEqual(['POST', 'POST']);
      const { request_id } = await control.getEvent({ id: event.id });
      expect(request_id).toBe(data[1]?.id);
    });
  });

  it.each<[Exclude<keyof ControlPlane, 'stream'>, object, string]>([
    ['getWorkspace', { id: `ws_${unknown}` }, 'not_found'],
    ['revokeKey', { id: `key_${unknown}` }, 'not_found'],
    ['updateWebhook', { id: `wh_${unknown}`, disabled: true }, 'not_found'],
    ['getDelivery', { id: 'no/id?at=all' }, 'not_found'],
    ['getEvent', { id: `evt_${unknown}` }, 'not_found'],
    ['revealSecret', { id: `wh_${unknown}` }, 'not_found'],
    ['verifyDelivery', { id: `del_${unknown}` }, 'not_found'],
    ['getFixture', { type: '../events/order.shipped' }, 'not_found'],
    ['listKeys', { workspace_id: `ws_${unknown}` }, 'not_found'],
    ['listWebhooks', { workspace_id: `ws_${unknown}` }, 'not_found'],
    ['listDeliveries', { webhook_id: `wh_${unknown}` }, 'not_found'],
    ['listWorkspaces', { limit: 1001 }, 'invalid_request'],
    ['listWorkspaces', { starting_after: `ws_${unknown}` }, 'invalid_request'],
    ['listKeys', { starting_after: 'key' }, 'invalid_request'],
    ['listDeliveries', { since: 'yesterday' }, 'invalid_request'],
    ['listEvents', { starting_after: `evt_${unknown}` }, 'invalid_request'],
    ['getStatus', { verbose: true }, 'invalid_request'],
  ])('%s with %j fails with %s', async (name, input, code) => {
    await expect(control[name](input as never)).rejects.toMatchObject({ code });
  });
});
