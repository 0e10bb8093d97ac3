/** The messages and results in the examples of the OpenAPI documents are those of the emulator. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { controlOperations } from '../../src/contract/control-operations.ts';
import { Attempt } from '../../src/contract/delivery-schemas.ts';
import { controlErrorExamples, errorExamples } from '../../src/contract/error-texts.ts';
import { createExample } from '../../src/contract/openapi/openapi-example.ts';
import { toExampleId } from '../../src/domain/ids.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { toSvcError } from '../../src/http/responses.ts';
import { Idempotency } from '../../src/sandbox/idempotency.ts';
import { createCaller, openSandbox } from '../sandbox/open-sandbox.ts';
import { sendRawRequest } from '../support/raw-request.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';
import { createReceiver } from '../support/test-receiver.ts';
import { createTestWallClock } from '../support/test-wall-clock.ts';

const TOKEN = 'a-control-token-of-the-test';
const event = { type: 'order.shipped' };

let emulator: TestEmulator;
beforeAll(async () => {
  emulator = await startTestEmulator({ host: '0.0.0.0', controlToken: TOKEN });
});
afterAll(() => emulator.close());

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** Sends a request to the control plane, with the token unless the headers have another one. */
async function sendControl(path: string, body: object | null = null, headers: Record<string, string> = {}) {
  const request = { method: body === null ? 'GET' : 'POST', body: body && JSON.stringify(body) };
  const response = await fetch(`${emulator.status().url}/_svc${path}`, {
    ...request,
    headers: { ...bearer(TOKEN), 'content-type': 'application/json', ...headers },
  });
  return (await response.json()) as { readonly error: { readonly code: string; readonly message: string } };
}

type Provoke = () => Promise<{ readonly error: { readonly code: string; readonly message: string } }>;

const fromThrown = (thrown: unknown) => {
  const { code, message } = toSvcError(thrown);
  return { error: { code, message } };
};

/** Each returns the body of a response with the error. */
const provoke: Readonly<Partial<Record<ErrorCode, Provoke>>> = {
  invalid_request: async () => (await emulator.api('GET', '/events?limit=1&limit=2')).json,
  unauthenticated: async () => {
    const { id, key } = await emulator.control.createKey({ scopes: ['events:read'] });
    await emulator.control.revokeKey({ id });
    return (await emulator.api('GET', '/events', undefined, bearer(key))).json;
  },
  permission_denied: async () => {
    const { key } = await emulator.control.createKey({ scopes: ['events:read'] });
    return (await emulator.api('POST', '/events', event, bearer(key))).json;
  },
  not_found: async () => (await emulator.api('GET', `/events/${toExampleId('event')}`)).json,
  method_not_allowed: async () => (await emulator.api('PUT', '/events', event)).json,
  idempotency_in_progress: async () => {
    const { sandbox, addWorkspace } = openSandbox();
    const idempotency = new Idempotency(sandbox);
    const request = {
      caller: createCaller(null),
      method: 'POST',
      path: '/v1/events',
      key: 'k',
      body: Buffer.from('{}'),
    };
    const send = () => idempotency.run(request, addWorkspace('Acme'), () => new Promise(() => {}));
    void send();
    return send().catch(fromThrown) as ReturnType<Provoke>;
  },
  payload_too_large: async () =>
    (await emulator.api('POST', '/events', { ...event, payload: { text: 'x'.repeat(262_144) } })).json,
  unsupported_media_type: async () => (await emulator.api('POST', '/events')).json,
  validation_failed: async () => (await emulator.api('POST', '/events', {})).json,
  idempotency_key_reused: async () => {
    const headers = { 'idempotency-key': 'reused' };
    await emulator.api('POST', '/events', event, headers);
    return (await emulator.api('POST', '/events', { ...event, payload: { a: 1 } }, headers)).json;
  },
  rate_limited: async () => {
    const overrides = { 'rate.limit': { per_second: 100, burst: 100 } };
    await using limited = await startTestEmulator({ overrides, wall: createTestWallClock() });
    for (let i = 0; i < 100; i++) await limited.api('GET', '/events');
    return (await limited.api('GET', '/events')).json;
  },
  conflict: async () => {
    const { id } = await emulator.control.createWebhook({
      url: 'http://127.0.0.1:9/',
      events: ['order.lost'],
    });
    await emulator.api('POST', '/events', { type: 'order.lost' });
    const { data } = await emulator.control.listDeliveries({ webhook_id: id });
    await emulator.control.deleteWebhook({ id });
    return sendControl(`/deliveries/${data[0]?.id}/replay`, {});
  },
  internal_error: async () => fromThrown(new Error('a bug')),
  forbidden_origin: async () => {
    await using local = await startTestEmulator();
    const { url } = local.status();
    const text = await sendRawRequest(
      url,
      'GET /v1/events HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n',
    );
    return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  },
  token_required: () => sendControl('/status', null, bearer('a-wrong-token-of-the-test')),
  storage_unavailable: async () =>
    fromThrown(Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' })),
  usage: () => sendControl('/snapshot/load', { path: join(createTemporaryFolder(), 'state.svc') }),
};

const provokeOnControlPlane: typeof provoke = {
  forbidden_origin: () => sendControl('/status', null, { origin: 'https://example.com' }),
  rate_limited: async () => {
    const headers = bearer('another-wrong-token');
    for (let i = 0; i < 20; i++) await sendControl('/status', null, headers);
    return sendControl('/status', null, headers);
  },
};

/** Replaces ids and folders, which differ in each run, by those of the examples. */
function normalize(message: string): string {
  return message
    .replace(/\b(evt|wh)_\w{26}/g, (_, prefix) => `${prefix}_${toExampleId('event').slice(4)}`)
    .replace(/\S+(?=\/state\.svc)/, '/tmp');
}

describe.each([
  ['/openapi.json', errorExamples, provoke],
  ['/_svc/openapi.json', controlErrorExamples, provokeOnControlPlane],
])('the examples of errors in %s', (_document, examples, provokeByCode) => {
  it.each(Object.entries(examples))(
    'the example of %s is a message of the emulator: %s',
    async (code, message) => {
      const body = await provokeByCode[code as ErrorCode]?.();
      expect(body?.error.code).toBe(code);
      expect(normalize(body?.error.message ?? '')).toBe(message);
    },
  );
});

const pastTimeMessage = controlOperations.advanceClock.errorExamples.usage;

it('the example of a clock move to the past is a message of the emulator', async () => {
  await using frozen = await startTestEmulator({
    clock: { frozen: true },
    wallClock: new Date('2026-11-20T14:05:30.000Z'),
  });
  const [to = ''] = pastTimeMessage.split(' ');
  await expect(frozen.control.advanceClock({ to })).rejects.toThrow(pastTimeMessage);
});

it('a clock move has its own example of usage, and other operations share one', async () => {
  await using open = await startTestEmulator();
  // biome-ignore lint/suspicious/noExplicitAny: the document is JSON.
  const { paths, components }: any = await (await fetch(`${open.status().url}/_svc/openapi.json`)).json();
  const getMessage = ({ content }: (typeof components.responses)[string]) =>
    content['application/json'].examples.usage.value.error.message;
  expect(getMessage(paths['/clock/advance'].post.responses[400])).toBe(pastTimeMessage);
  const { $ref } = paths['/snapshot/save'].post.responses[400];
  expect(getMessage(components.responses[$ref.split('/').at(-1)])).toBe(errorExamples.usage);
});

it('the example of an attempt has the error of the emulator for its status', async () => {
  const { response_status, error } = createExample(Attempt);
  await using receiver = await createReceiver({ status: response_status ?? 0 });
  const { id } = await emulator.control.createWebhook({ url: receiver.url, events: ['order.lost'] });
  const probe = await emulator.control.probeWebhook({ id });
  expect(probe.forged?.error).toBe(error);
});
