import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApiClient } from '../../src/client/api-client.ts';
import { createHttpControlClient } from '../../src/client/http-client.ts';
import { UlidGenerator } from '../../src/domain/ids.ts';
import { controlOperations } from '../../src/operations/control-operations.ts';
import { type ControlPlane, listAll } from '../../src/operations/control-plane.ts';
import type { StreamItem } from '../../src/operations/stream-schemas.ts';
import { listenDuringTest } from '../support/local-server.ts';

const ids = new UlidGenerator();

/** A server that records requests and responds with the given listener. */
async function serve(listener: RequestListener) {
  const server = createServer(listener);
  onTestFinished(() => server.closeAllConnections());
  const url = `http://127.0.0.1:${await listenDuringTest(server)}`;
  return { url, control: createHttpControlClient({ controlUrl: `${url}/_svc` }) };
}

interface ReceivedRequest {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

async function serveJson(status: number, body: unknown) {
  const requests: ReceivedRequest[] = [];
  const served = await serve(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    requests.push({ method: request.method, url: request.url, headers: request.headers, body: text });
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  return { ...served, requests };
}

describe('an operation over HTTP', () => {
  it('placeholders are escaped in the path, and the other fields of a GET are in the query', async () => {
    const { control, requests } = await serveJson(200, { data: [], has_more: false, end_cursor: null });
    await control.getDelivery({ id: 'a/b' }).catch(() => undefined);
    await control.listDeliveries({ status: 'failed', limit: 5 });
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /_svc/deliveries/a%2Fb',
      'GET /_svc/deliveries?status=failed&limit=5',
    ]);
  });

  it('the other fields of a POST are the JSON body', async () => {
    const { control, requests } = await serveJson(202, {});
    await control.replayDelivery({ id: 'del_1', new_id: true }).catch(() => undefined);
    expect(requests[0]).toMatchObject({
      method: 'POST',
      url: '/_svc/deliveries/del_1/replay',
      body: '{"new_id":true}',
    });
    expect(requests[0]?.headers['content-type']).toBe('application/json');
  });

  it('the token is sent if there is one', async () => {
    const { url, requests } = await serveJson(200, { stopping: true });
    await createHttpControlClient({ controlUrl: `${url}/_svc`, token: 'secret' }).stop({});
    await createHttpControlClient({ controlUrl: `${url}/_svc` }).stop({});
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer secret', undefined]);
  });

  it('an error response rejects with its code', async () => {
    const { control } = await serveJson(409, { error: { code: 'conflict', message: 'It is running.' } });
    await expect(control.stop({})).rejects.toMatchObject({ code: 'conflict', message: 'It is running.' });
  });

  it('a call rejects with interrupted when the signal is aborted during it', async () => {
    const { url } = await serve(() => interrupt.abort());
    const interrupt = new AbortController();
    const control = createHttpControlClient({ controlUrl: `${url}/_svc`, signal: interrupt.signal });
    await expect(control.getStatus({})).rejects.toMatchObject({ code: 'interrupted' });
  });
});

describe('a server that is not an emulator', () => {
  const responses = {
    'no JSON': '<h1>Hello</h1>',
    nothing: '',
    null: 'null',
    text: '"ok"',
    'another object': '{"ok":true}',
    'a list without its items': '{"has_more":true,"end_cursor":null}',
    'a list of something else': '{"data":[{}],"has_more":false,"end_cursor":null}',
  };
  const operations = Object.keys(controlOperations) as (keyof typeof controlOperations)[];

  it.each(Object.entries(responses))(
    'every operation rejects with no_emulator when the server responds with %s [network.other-servers]',
    async (_, body) => {
      const { control, url } = await serveJson(200, body);
      for (const name of operations) {
        const call = control[name] as (input: object) => Promise<unknown>;
        await expect(call({ id: 'x' }), name).rejects.toMatchObject({
          code: 'no_emulator',
          message: expect.stringContaining(`${url}/_svc`),
        });
      }
    },
  );

  it.each([
    ['an item that is not JSON', 'data: {\n\n'],
    ['an item without its fields', 'data: {"type":"attempt","sequence":1}\n\n'],
    ['an item of an unknown type', 'data: {"type":"other","sequence":1}\n\n'],
    ['a beginning that names no store', 'event: ready\ndata: {"sequence":1}\n\n'],
    ['a beginning without a sequence', 'id: 1\nevent: ready\ndata: {"store":"a"}\n\n'],
  ])('the stream ends with no_emulator after %s', async (_, text) => {
    const { control } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(text);
    });
    const stream = control.stream({}, new AbortController().signal)[Symbol.asyncIterator]();
    await expect(stream.next()).rejects.toMatchObject({ code: 'no_emulator' });
  });

  it.each([
    ['is not an event stream', 'application/json', '{"ok":true}'],
    ['is empty', 'text/event-stream', ''],
  ])('the stream fails with no_emulator when it %s', async (_, type, text) => {
    const { control } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': type }).end(text);
    });
    const { ready } = control.stream({}, new AbortController().signal);
    await expect(ready).rejects.toMatchObject({ code: 'no_emulator' });
  });

  it('an export of another type is an error, and its connection is closed', async () => {
    let isClosed = () => {};
    const closed = new Promise<void>((resolve) => {
      isClosed = resolve;
    });
    const { control } = await serve((_request, response) => {
      response.once('close', isClosed);
      response.writeHead(200, { 'content-type': 'text/html' }).write('<h1>');
    });
    await expect(control.exportDeliveries({})).rejects.toMatchObject({
      code: 'no_emulator',
      message: expect.stringContaining('the response is not application/x-ndjson'),
    });
    await closed;
  });

  it('a response that does not end fails with no_emulator [network.other-servers]', async () => {
    const block = Buffer.alloc(4 * 1024 * 1024, ' ');
    const { control } = await serve((_request, response) => {
      response.writeHead(404, { 'content-type': 'application/json' });
      const write = () => {
        while (!response.destroyed && response.write(block));
      };
      response.on('drain', write);
      write();
    });
    await expect(control.getStatus({})).rejects.toMatchObject({
      code: 'no_emulator',
      message: expect.stringContaining('the response is too large'),
    });
  });

  it('a list ends when a cursor repeats [network.other-servers]', async () => {
    let pageCount = 0;
    const list = listAll(async () => ({ data: [], has_more: true, end_cursor: `del_${pageCount++ % 2}` }));
    const message = 'The server returned the cursor "del_0" twice, so the list has no end.';
    await expect(list).rejects.toMatchObject({ code: 'no_emulator', message });
    expect(pageCount).toBe(3);
  });
});

it('the body is sent unchanged with both keys, and the exact text of the response is returned', async () => {
  const rest = `"workspace_id":"${ids.next('workspace', 0)}","type":"a.b","created_at":"2026-11-20T00:00:00.000Z"`;
  const id = ids.next('event', 0);
  const responseText = `{"id":"${id}",${rest},"payload":{"n":9007199254740993}}`;
  const { url, requests } = await serveJson(200, responseText);
  const api = createApiClient({ baseUrl: `${url}/v1`, apiKey: 'svc_test_k' });
  const response = await api.createEvent('{"n": 9007199254740993}', 'once');
  expect(response.text).toBe(responseText);
  expect(response.value.id).toBe(id);
  expect(requests[0]).toMatchObject({ method: 'POST', url: '/v1/events', body: '{"n": 9007199254740993}' });
  expect(requests[0]?.headers).toMatchObject({
    authorization: 'Bearer svc_test_k',
    'content-length': '23',
    'idempotency-key': 'once',
  });
});

/** test/client/follow-stream.test.ts has the cases that do not depend on HTTP. */
describe('the live stream', () => {
  /** Serves one script a connection: what is written before the server hangs up, or stays open for the last. */
  async function serveStream(...connections: string[]) {
    const requests: { url: string | undefined; lastEventId: string | undefined }[] = [];
    const open = (request: IncomingMessage, response: ServerResponse) => {
      requests.push({
        url: request.url,
        lastEventId: request.headers['last-event-id'] as string | undefined,
      });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(connections[requests.length - 1] ?? ': idle\n\n');
      if (requests.length < connections.length) response.end();
    };
    return { ...(await serve(open)), requests };
  }

  /** What a connection begins with: which store it is, and the newest sequence there. */
  const ready = (sequence: number, store = 'one') =>
    `event: ready\ndata: ${JSON.stringify({ store, sequence })}\n\n`;
  const message = (sequence: number) =>
    `id: ${sequence}\ndata: ${JSON.stringify({ type: 'reset', sequence })}\n\n`;

  async function take(control: ControlPlane, count: number, input = {}): Promise<number[]> {
    const stop = new AbortController();
    const sequences: number[] = [];
    for await (const item of control.stream(input, stop.signal)) {
      if (sequences.push(item.sequence) === count) stop.abort();
    }
    return sequences;
  }

  it('the stream continues after the last item when the connection is lost, without loss or repetition', async () => {
    const { control, requests } = await serveStream(
      `${ready(0)}${message(1)}${message(2)}data: {"type":"requ`,
      `${ready(3)}${message(2)}${message(3)}`,
      `${ready(4)}${message(4)}`,
    );
    await expect(take(control, 4)).resolves.toEqual([1, 2, 3, 4]);
    expect(requests.map(({ lastEventId }) => lastEventId)).toEqual([undefined, '2', '3']);
  });

  it('the stream reads messages that arrive in pieces, also within a character', async () => {
    const request = {
      ...{ id: ids.next('request', 0), at: '2026-11-20T00:00:00.000Z', method: 'GET', path: '/v1/é' },
      ...{ status: 404, error_code: 'not_found', error_message: 'é', duration_ms: 1, user_agent: null },
      ...{ api_key_id: null, api_key_name: null, workspace_id: null, resource_id: null },
    };
    const item = { type: 'request', sequence: 1, request };
    const bytes = Buffer.from(`id: 1\ndata: ${JSON.stringify(item)}\n\n`);
    const { control } = await serve(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const byte of bytes) {
        response.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
    });
    const stop = new AbortController();
    const items: StreamItem[] = [];
    for await (const item of control.stream({}, stop.signal)) {
      items.push(item);
      stop.abort();
    }
    expect(items).toEqual([item]);
  });

  it('the stream fails with the error of the server when the filter is rejected', async () => {
    const { control } = await serveJson(400, { error: { code: 'invalid_request', message: 'types: no.' } });
    await expect(take(control, 1)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
