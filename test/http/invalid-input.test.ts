import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../support/sqlite.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';
import { createReceiver, type Receiver } from '../support/test-receiver.ts';

const db = join(createTemporaryFolder({ onTestFinished: afterAll }), 'sandbox.db');
const EVENT_ID = 'evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';
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
  expect([rows, integrity, faults]).toEqual([[created, created, 1, 0], 'ok', []]);
});

const post = (path: string, body: string | Uint8Array) =>
  emulator.api('POST', path, body, { 'content-type': 'application/json' });
const event = (payload: string) => `{"type":"order.shipped","payload":${payload}}`;

/** The body of an endpoint with changed fields. */
const webhook = (change: object) => {
  const { workspace_id } = emulator.status();
  return JSON.stringify({ workspace_id, url: receiver.url, events: ['order.shipped'], ...change });
};

/** The start of the message of a refusal, which is short. */
async function expectRefusal(path: string, body: string | Uint8Array, status: number, start: string) {
  const response = await post(path, body);
  expect([response.status, response.json?.error.code]).toEqual([
    status,
    { 400: 'invalid_request', 413: 'payload_too_large', 422: 'validation_failed' }[status],
  ]);
  expect(response.json.error.message.slice(0, start.length)).toBe(start);
  expect(response.json.error.message.length).toBeLessThan(300);
}

describe('an invalid body', () => {
  it.each<[string, number, string | Uint8Array, string]>([
    ['invalid UTF-8', 400, Buffer.from('{"type":"a.b","payload":{"x":"\xff"}}', 'latin1'), 'The body is not'],
    ['a field twice', 400, event('{"items":[{"a":1,"b":{},"a":2}]}'), 'The body has a duplicate field: pay'],
    [
      '129 levels',
      400,
      event(`${'{"a":'.repeat(128)}1${'}'.repeat(128)}`),
      'The body is nested more than 128',
    ],
    ['another type of a field', 422, '{"type":{"a":"b"}}', 'type must be a string, not an object.'],
    ['a line break in a type', 422, '{"type":"order.shipped\\r\\nX-Injected: 1"}', 'type must have the form'],
    ['null as the payload', 422, event('null'), 'payload must be a JSON object.'],
    ['a list as the payload', 422, event('[]'), 'payload must be a JSON object.'],
    [
      'the ID of another kind',
      422,
      `{"type":"a.b","workspace_id":"${EVENT_ID}"}`,
      'workspace_id is invalid:',
    ],
    ['a field that only the emulator sets', 422, `{"type":"a.b","id":"${EVENT_ID}"}`, 'id is not a known'],
    ['a prototype', 422, '{"__proto__":{"type":"a.b"}}', '__proto__ is not a known field.'],
    [
      'a long name',
      422,
      `{"type":"a.b","${'x'.repeat(5000)}":1}`,
      `${'x'.repeat(64)}… is not a known field.`,
    ],
    ['a long type', 422, `{"type":"${'x'.repeat(5000)}"}`, 'type must have the form <noun>.<verb>'],
  ])(
    'an event with %s gets %i, with the name of the field [error.codes, event.body]',
    async (_, status, body, start) => {
      await expectRefusal('/events', body, status, start);
    },
  );

  it.each<[object, string]>([
    [{ url: { href: 'https://a.example/' } }, 'url must be a string, not an object.'],
    [{ url: 'https://a.example/\u202e' }, 'url must not contain whitespace'],
    [{ events: 'x'.repeat(5000) }, `events must be an array, not "${'x'.repeat(63)}….`],
    [{ events: ['order.shipped', null] }, 'events[1] must be a string, not null.'],
    [{ secret: 'whsec_mine' }, 'secret is not a known field.'],
    [{ disabled: true }, 'disabled is not a known field.'],
  ])(
    'an endpoint with %j gets 422 with the name of the field [error.codes, §4.create-webhook.body]',
    async (change, start) => {
      await expectRefusal('/webhooks', webhook(change), 422, start);
    },
  );

  it('a body is rejected because of its Content-Length, regardless of its content [body.limit, receivers.request-size]', async () => {
    await expectRefusal('/events', new Uint8Array(300_000), 413, 'The body is larger than 262144 bytes');
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
