import { get, type IncomingMessage } from 'node:http';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestEmulator, type TestEmulator } from '../support/test-emulator.ts';
import { createReceiver, type Receiver } from '../support/test-receiver.ts';
import { createTestWallClock } from '../support/test-wall-clock.ts';

let emulator: TestEmulator;
let receiver: Receiver;
const wall = createTestWallClock();
const open: IncomingMessage[] = [];
beforeAll(async () => {
  emulator = await startTestEmulator({ wall });
});
beforeEach(async () => {
  await emulator.control.reset({});
  receiver = await createReceiver();
});
afterEach(async () => {
  for (const response of open.splice(0)) response.destroy();
  await receiver.close();
});
afterAll(() => emulator.close());

interface Follower {
  readonly response: IncomingMessage;
  /** Waits for the next `count` messages. */
  take(count: number): Promise<EventSourceMessage[]>;
  /** Waits for the data of the next `count` messages. */
  // biome-ignore lint/suspicious/noExplicitAny: each test checks the fields that it uses.
  items(count: number): Promise<any[]>;
}

function connect(query = '', headers: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = get(`${emulator.status().control_url}/stream${query}`, { headers }, (response) => {
      open.push(response);
      resolve(response);
    });
    request.on('error', reject);
  });
}

/** Opens the stream and reads its ready message. */
async function follow(
  query = '',
  headers: Record<string, string> = {},
): Promise<Follower & { readonly ready: number; readonly id: string | undefined }> {
  const response = await connect(query, headers);
  const follower = read(response);
  const [ready] = await follower.take(1);
  expect(ready?.event).toBe('ready');
  const { sequence, ...store } = JSON.parse(String(ready?.data));
  expect(store).toEqual({ store: expect.stringMatching(/^[\w-]+$/) });
  return { ...follower, ready: sequence, id: ready?.id };
}

function read(response: IncomingMessage): Follower {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => messages.push(message) });
  const chunks = response.setEncoding('utf8')[Symbol.asyncIterator]();
  const take = async (count: number) => {
    while (messages.length < count) {
      const { value, done } = await chunks.next();
      if (done) throw new Error('the stream ended');
      parser.feed(value);
    }
    return messages.splice(0, count);
  };
  return {
    response,
    take,
    items: async (count) => (await take(count)).map(({ data }) => JSON.parse(data)),
  };
}

/** A request to the API, which is logged. */
function register() {
  const { workspace_id } = emulator.status();
  return emulator.api('POST', '/webhooks', { workspace_id, url: receiver.url, events: ['*'] });
}

async function trigger(type = 'order.shipped'): Promise<string> {
  return (await emulator.api('POST', '/events', { type })).json.id;
}

const about = (items: { type: string }[]) => items.map(({ type }) => type);

describe('the live stream', () => {
  it('the stream is ready at the newest sequence, and is not cached', async () => {
    const { ready, id, response } = await follow();
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'request-id': expect.stringMatching(/^req_/),
    });
    expect(id).toBe(String(ready));
  });

  it.each([
    ['', { 'last-event-id': '0' }],
    ['?since_sequence=0', {}],
    ['?since=1h', {}],
  ])(
    'the ready message of a stream that starts in the past, %j with %j, does not change the position of its client',
    async (query, headers) => {
      const { ready } = await follow();
      expect(await follow(query, headers)).toMatchObject({ id: undefined, ready });
    },
  );

  it('the stream sends each change when it happens, with its sequence as the id', async () => {
    const follower = await follow();
    await register();
    const event_id = await trigger();
    const messages = await follower.take(4);
    const items = messages.map(({ data }) => JSON.parse(data));
    expect(about(items).sort()).toEqual(['attempt', 'delivery', 'request', 'request']);
    expect(messages.map(({ id }) => Number(id))).toEqual(items.map(({ sequence }) => sequence));
    expect(items.map(({ sequence }) => sequence)).toEqual(
      items.map(({ sequence }) => sequence).sort((a, b) => a - b),
    );
    expect(items[0].sequence).toBeGreaterThan(follower.ready);
    expect(items.find(({ type }) => type === 'attempt')).toMatchObject({
      attempt: { number: 1, outcome: 'succeeded', request: { headers: {}, body: expect.any(String) } },
      delivery: { event_id, status: 'succeeded' },
    });
    expect(items.find(({ type }) => type === 'request')).toMatchObject({
      request: { method: 'POST', status: 201 },
    });
  });

  it.each([
    ['?types=attempts', {}, 400],
    ['?nothing=1', {}, 400],
    ['?since=soon', {}, 400],
    ['?since_sequence=-1', {}, 400],
    ['?status=late', {}, 400],
    ['', { 'last-event-id': 'x' }, 400],
    ['', { 'last-event-id': '-1' }, 400],
    ['?workspace_id=ws_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D', {}, 404],
    ['?event_id=evt_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D', {}, 404],
  ])('the stream rejects %j with %j as an error response', async (query, headers, status) => {
    const response = await connect(query, headers);
    expect([response.statusCode, response.headers['content-type']]).toEqual([
      status,
      'application/json; charset=utf-8',
    ]);
  });

  it('the stream ends when the emulator stops', async () => {
    const follower = await follow();
    const next = expect(follower.take(1)).rejects.toThrow('the stream ended');
    const startedAt = performance.now();
    await emulator.close();
    await next;
    // A connection that stays open would be closed after five seconds.
    expect(performance.now() - startedAt).toBeLessThan(4_500);
    // Tests run in any order.
    emulator = await startTestEmulator({ wall });
  });
});
