import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createRawReceiver, readRequest } from '../../support/raw-receiver.ts';
import { createReceiver } from '../../support/test-receiver.ts';
import { createPostRequest, createTestSender } from './sender-setup.ts';

describe('a request', () => {
  it('a request arrives with its method, path, headers and bytes unchanged', async () => {
    await using receiver = await createReceiver();
    const body = Buffer.from('{"name":"Zoë","n":1.0}');
    const headers = { 'Content-Type': 'application/json', 'Service-Signature': 'v1=00', 'X-Latin': 'é' };
    await createTestSender().send({ url: `${receiver.url}/hooks?tenant=1`, headers, body });
    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/hooks?tenant=1', body });
    expect(request?.headers).toEqual({
      host: `127.0.0.1:${receiver.port}`,
      connection: 'keep-alive',
      'content-type': 'application/json',
      'content-length': String(body.length),
      'service-signature': 'v1=00',
      'x-latin': 'é',
    });
  });

  it.each([
    ['a line break', { 'X-A': 'a\r\nX-Injected: 1' }],
    ['a lone line feed', { 'X-A': 'a\nb' }],
    ['a NUL', { 'X-A': 'a\0b' }],
    ['a character beyond Latin-1', { 'X-A': '→' }],
    ['an invalid name', { 'X A': 'a' }],
  ])(
    'a request with %s in its headers fails, and nothing is sent [receivers.header-values]',
    async (_fault, headers) => {
      await using receiver = await createReceiver();
      const sender = createTestSender();
      for (const _connection of ['new', 'kept']) {
        expect(await sender.send({ url: receiver.url, headers, body: '' })).toMatchObject({
          outcome: 'connection_error',
          error: expect.stringMatching(/^the request cannot be sent: .*header/i),
        });
      }
      expect(await sender.send(createPostRequest(receiver.url))).toMatchObject({ outcome: 'succeeded' });
      expect(receiver.requests).toHaveLength(1);
    },
  );

  it('a request to a URL that is not HTTP is rejected', async () => {
    const sending = createTestSender().send(createPostRequest('ftp://127.0.0.1/'));
    await expect(sending).rejects.toThrow('Protocol "ftp:" is not supported');
  });
});

describe('a response', () => {
  it.each([301, 308])(
    'a response with status %i is not followed [delivery.success, network.redirects]',
    async (status) => {
      await using target = await createReceiver();
      await using receiver = await createReceiver({ status, headers: { location: target.url } });
      const result = await createTestSender().send(createPostRequest(receiver.url));
      expect(result).toMatchObject({ outcome: 'http_error', responseStatus: status });
      expect(result.error).toContain(`redirects to ${target.url}; redirects are not followed`);
      expect(target.requests).toHaveLength(0);
    },
  );

  it('a response is recorded with its headers, repeated ones joined, and its body', async () => {
    const headers = { 'X-A': 'b', 'X-Twice': ['1', '2'] };
    await using receiver = await createReceiver({ status: 500, headers, body: 'no' });
    const { response } = await createTestSender().send(createPostRequest(receiver.url));
    expect(response?.headers).toMatchObject({ 'x-a': 'b', 'x-twice': '1, 2' });
    expect(response?.body.toString()).toBe('no');
    expect(response?.truncated).toBe(false);
  });

  it('a response can have header names and values that are not ASCII text', async () => {
    await using receiver = await createRawReceiver(async (socket) => {
      await readRequest(socket);
      const head = 'HTTP/1.1 200 OK\r\nX-Bytes: \xff\xfe\xe9\r\n__proto__: p\r\nContent-Length: 0\r\n\r\n';
      socket.end(Buffer.from(head, 'latin1'));
    });
    const { outcome, response } = await createTestSender().send(createPostRequest(receiver.url));
    expect(outcome).toBe('succeeded');
    expect({ ...response?.headers }).toEqual({
      'x-bytes': '\xff\xfe\xe9',
      ['__proto__']: 'p',
      'content-length': '0',
    });
  });

  it('a response can follow informational responses', async () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n';
    const early = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\nX-A: 1\r\n\r\n';
    await using receiver = await createRawReceiver(async (socket) => {
      await readRequest(socket);
      socket.write(`${interim}${early}HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok`);
      await readRequest(socket);
      for (const byte of `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Accepted\r\nContent-Length: 15\r\n\r\n`) {
        await new Promise((resolve) => socket.write(byte, resolve));
      }
      socket.write('HTTP/1.1 100 OK');
    });
    const sender = createTestSender();
    expect(await sender.send(createPostRequest(receiver.url))).toMatchObject({
      outcome: 'succeeded',
      responseStatus: 201,
    });
    const second = await sender.send(createPostRequest(receiver.url));
    expect(second).toMatchObject({ outcome: 'succeeded', responseStatus: 202 });
    expect(second.response?.body.toString()).toBe('HTTP/1.1 100 OK');
    expect(receiver.connections).toBe(1);
  });

  it.each([
    ['204 with a Content-Length', 'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n', 'succeeded', 2],
    ['204 followed by a body', 'HTTP/1.1 204 No Content\r\n\r\nok', 'succeeded', 2],
    ['204 with chunks', 'HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n', 'succeeded', 2],
    ['304 with a Content-Length', 'HTTP/1.1 304 Any\r\nContent-Length: 9\r\n\r\n', 'http_error', 2],
    ['200 with bytes after its body', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nok', 'succeeded', 2],
    ['204', 'HTTP/1.1 204 No Content\r\n\r\n', 'succeeded', 1],
    ['204 with the length 0', 'HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n', 'succeeded', 1],
    [
      '204 after a 103 with a Content-Length',
      'HTTP/1.1 103 Any\r\nContent-Length: 2\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n',
      'succeeded',
      1,
    ],
  ])(
    'a response with %s ends at its end, and two requests use %i connections',
    async (_, bytes, outcome, connections) => {
      await using receiver = await createRawReceiver(async (socket) => {
        for (;;) {
          await readRequest(socket);
          socket.write(bytes);
        }
      });
      const sender = createTestSender();
      for (const _request of [1, 2]) {
        const { response, ...result } = await sender.send(createPostRequest(receiver.url));
        expect(result).toMatchObject({ outcome });
        expect(response?.body).toHaveLength(0);
      }
      expect(receiver.connections).toBe(connections);
    },
  );

  it('a compressed response is recorded unchanged [receivers.compression]', async () => {
    const body = gzipSync('x'.repeat(100_000));
    await using receiver = await createReceiver({ headers: { 'Content-Encoding': 'gzip' }, body });
    const { response } = await createTestSender().send(createPostRequest(receiver.url));
    expect(response?.body).toEqual(body);
  });
});

describe('the response size limit', () => {
  it.each([
    [1_024, false],
    [1_025, true],
  ])(
    'a response of %i bytes has truncated %s [delivery.response, receivers.response-size]',
    async (size, truncated) => {
      await using receiver = await createReceiver({ body: Buffer.alloc(size, 'x') });
      const result = await createTestSender().send(createPostRequest(receiver.url));
      expect(result).toMatchObject({ outcome: 'succeeded', responseStatus: 200, error: null });
      expect(result.response).toMatchObject({ truncated, body: Buffer.alloc(Math.min(size, 1_024), 'x') });
    },
  );

  it.each([
    [200, 'succeeded'],
    [500, 'http_error'],
  ])(
    'an endless body is cut off by destroying the connection, and the status %i decides [delivery.response]',
    async (status, outcome) => {
      let closed: Promise<void> | undefined;
      await using receiver = await createRawReceiver(async (socket) => {
        closed = new Promise((resolve) => socket.once('close', () => resolve()));
        await readRequest(socket);
        socket.write(`HTTP/1.1 ${status} Any\r\nTransfer-Encoding: chunked\r\n\r\n`);
        const more = () =>
          socket.writable && socket.write(`400\r\n${'x'.repeat(1_024)}\r\n`, () => setImmediate(more));
        more();
      });
      const result = await createTestSender().send(createPostRequest(receiver.url));
      expect(result).toMatchObject({ outcome, responseStatus: status, response: { truncated: true } });
      expect(result.response?.body).toHaveLength(1_024);
      await closed;
    },
  );
});

it('the Retry-After of a response is read on the wall clock [retry.after]', async () => {
  const headers = { 'Retry-After': 'Fri, 20 Nov 2026 00:01:00 GMT' };
  await using receiver = await createReceiver({ status: 503, headers });
  expect(await createTestSender().send(createPostRequest(receiver.url))).toMatchObject({
    retryAfterMs: 60_000,
  });
});
