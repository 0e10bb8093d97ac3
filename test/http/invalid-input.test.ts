import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../support/sqlite.ts';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';
import { createReceiver, type Receiver } from '../support/test-receiver.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-test-'));
const db = join(folder, 'sandbox.db');
const faults: unknown[] = [];
let emulator: TestEmulator;
let receiver: Receiver;
let created = 0;

beforeAll(async () => {
  receiver = await createReceiver();
  emulator = await startTestEmulator({ db, internalErrorLog: { report: (_, fault) => faults.push(fault) } });
  const { workspace_id } = emulator.status();
  await emulator.api('POST', '/webhooks', { workspace_id, url: receiver.url, events: ['*'] });
});

/** The database contains no data of rejected requests, and all data of accepted ones. */
afterAll(async () => {
  await receiver.waitFor(created);
  await emulator.close();
  await receiver.close();
  const database = new Database(db, { readonly: true });
  const count = (table: string) => database.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
  const rows = ['events', 'deliveries', 'webhooks', 'idempotency_keys'].map(count);
  const integrity = database.pragma('integrity_check', { simple: true });
  database.close();
  rmSync(folder, { recursive: true });
  expect([rows, integrity, faults]).toEqual([[created, created, 1, 0], 'ok', []]);
});

const post = (path: string, body: string | Uint8Array) =>
  emulator.api('POST', path, body, { 'content-type': 'application/json' });
const event = (payload: string) => `{"type":"order.shipped","payload":${payload}}`;

async function expectRefusal(path: string, body: string | Uint8Array, status: number, message: RegExp) {
  const response = await post(path, body);
  expect([response.status, response.json?.error.code]).toEqual([
    status,
    { 400: 'invalid_request', 413: 'payload_too_large', 422: 'validation_failed' }[status],
  ]);
  expect(response.json.error.message).toMatch(message);
  expect(response.json.error.message.length).toBeLessThan(300);
}

describe('a body that is not a JSON object', () => {
  it.each<[string, string | Uint8Array, RegExp]>([
    ['no content', '', /^The body is not JSON: /],
    ['a missing end', '{"type":"a.b"', /^The body is not JSON: /],
    ['an array', '[{"type":"a.b"}]', /^The body must be a JSON object\.$/],
    [
      'invalid UTF-8',
      Buffer.from('{"type":"a.b","payload":{"x":"\xff"}}', 'latin1'),
      /^The body is not valid UTF-8\.$/,
    ],
    ['a field twice', '{"type":"a.b","type":"c.d"}', /^The body has a duplicate field: type\.$/],
    [
      'a nested field twice',
      event('{"items":[{"a":1},{"a":1,"b":{},"a":2}]}'),
      /^The body has a duplicate field: payload\.items\[1\]\.a\.$/,
    ],
    [
      '129 levels',
      `{"type":"a.b","payload":${'{"a":'.repeat(128)}1${'}'.repeat(128)}}`,
      /^The body is nested more than 128 levels deep\.$/,
    ],
  ])('a body with %s gets 400 [error.codes]', async (_, body, message) => {
    await expectRefusal('/events', body, 400, message);
  });
});

describe('an invalid event', () => {
  it.each<[string, RegExp]>([
    ['{}', /^type is required\.$/],
    ['{"type":null}', /^type must be a string, not null\.$/],
    ['{"type":7}', /^type must be a string, not 7\.$/],
    ['{"type":{"a":"b"}}', /^type must be a string, not an object\.$/],
    ['{"type":"order.shipped\\r\\nX-Injected: 1"}', /^type must have the form <noun>\.<verb>/],
    [event('null'), /^payload must be a JSON object\.$/],
    [event('[]'), /^payload must be a JSON object\.$/],
    ['{"type":"a.b","workspace_id":7}', /^workspace_id must be a string, not 7\.$/],
    [
      '{"type":"a.b","workspace_id":"evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D"}',
      /^workspace_id is invalid: evt_\w+ is an event ID; workspace IDs start with ws_\.$/,
    ],
    ['{"type":"a.b","data":{}}', /^data is not a known field\.$/],
    ['{"type":"a.b","id":"evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D"}', /^id is not a known field\.$/],
    ['{"type":"a.b","__proto__":{"payload":{}}}', /^__proto__ is not a known field\.$/],
    ['{"__proto__":{"type":"a.b"}}', /^__proto__ is not a known field\.$/],
  ])('the event %s gets 422 with the name of the field [error.codes, event.body]', async (body, message) => {
    await expectRefusal('/events', body, 422, message);
  });
});

describe('an invalid endpoint', () => {
  const webhook = (change: object) =>
    JSON.stringify({
      workspace_id: emulator.status().workspace_id,
      url: receiver.url,
      events: ['order.shipped'],
      ...change,
    });

  it.each<[object, RegExp]>([
    [{ url: 7 }, /^url must be a string, not 7\.$/],
    [{ url: { href: 'https://a.example/' } }, /^url must be a string, not an object\.$/],
    [{ url: 'https://a.example/\u202e' }, /^url must not contain whitespace or control characters\.$/],
    [{ events: 'order.shipped' }, /^events must be an array, not "order\.shipped"\.$/],
    [{ events: ['order.shipped', null] }, /^events\[1\] must be a string, not null\.$/],
    [{ secret: 'whsec_mine' }, /^secret is not a known field\.$/],
    [{ disabled: true }, /^disabled is not a known field\.$/],
  ])(
    'an endpoint with %j gets 422 with the name of the field [error.codes, §4.create-webhook.body]',
    async (change, message) => {
      await expectRefusal('/webhooks', webhook(change), 422, message);
    },
  );
});

describe('a long invalid value in a message', () => {
  it.each([
    ['a name', `{"type":"a.b","${'x'.repeat(5000)}":1}`, /^x{64}… is not a known field\.$/],
    ['a list', `{"type":"a.b","payload":{},"workspace_id":["${'x'.repeat(5000)}"]}`, /not an array\.$/],
    ['a type', `{"type":"${'x'.repeat(5000)}"}`, /^type must have the form <noun>\.<verb>/],
  ])('the message shortens or omits %s that is too long [error.codes]', async (_, body, message) => {
    await expectRefusal('/events', body, 422, message);
  });

  it('the message shortens a value that is too long [error.codes]', async () => {
    const { workspace_id } = emulator.status();
    const body = JSON.stringify({ workspace_id, url: receiver.url, events: 'x'.repeat(5000) });
    await expectRefusal('/webhooks', body, 422, /^events must be an array, not "x{63}…\.$/);
  });
});

describe('a payload with unusual content', () => {
  it.each([
    ['numbers', '{"big":9007199254740993,"huge":1e400,"tiny":1E-400,"money":12.50,"minus":-0}'],
    ['characters', '{"half":"\\ud800","pair":"\\ud83d\\ude00","nul":"\\u0000","raw":"😀é\u2028"}'],
    ['names', '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"":1}'],
    ['header-like text', '{"quote\\"\\\\":"\\r\\nX-Injected: 1"}'],
    ['depth', `{"deep":${'['.repeat(125)}${']'.repeat(125)}}`],
    ['width', `{"wide":[${Array(20_000).fill('1').join()}]}`],
    ['escapes', `{"escapes":"${'\\n'.repeat(100_000)}"}`],
  ])('a payload reaches the receiver unchanged: %s [envelope, §2.envelope]', async (_, payload) => {
    const response = await post('/events', event(payload));
    expect(response.status, response.text).toBe(201);
    created++;
    expect(response.text).toContain(`"payload":${payload},`);
    const stored = await emulator.api('GET', `/events/${response.json.id}`);
    expect(stored.text).toBe(response.text);
    const [request] = (await receiver.waitFor(created)).slice(-1);
    expect(request?.body.toString()).toContain(`"data":${response.text}}`);
    expect(Object.getPrototypeOf({})).not.toHaveProperty('polluted');
  });

  it('a payload is stored without whitespace between its tokens [envelope]', async () => {
    const { text } = await post('/events', event(' {\n\t"a b" : [ 1 , "c  d" ]\r\n} '));
    created++;
    expect(text).toContain('"payload":{"a b":[1,"c  d"]},');
  });
});

describe('a body that is too large', () => {
  it('a body is rejected because of its Content-Length, regardless of its content [body.limit, receivers.request-size]', async () => {
    await expectRefusal('/events', new Uint8Array(300_000), 413, /larger than 262144 bytes/);
  });
});
