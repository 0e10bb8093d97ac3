import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { getCertificate } from '../support/certificates.ts';
import { createRawReceiver, readRequest } from '../support/raw-receiver.ts';
import { createReceiver } from '../support/test-receiver.ts';
import { createGate, createPostRequest, createTestSender, limits } from './sender-setup.ts';

/** A receiver that reads the request, and then does this. */
const afterRequest = (act: (socket: Socket) => unknown) =>
  createRawReceiver(async (socket) => {
    await readRequest(socket);
    await act(socket);
  });

describe('a receiver that', () => {
  it('does not listen is a connection error', async () => {
    const receiver = await createReceiver();
    await receiver.close();
    const result = await createTestSender().send(createPostRequest(receiver.url), limits);
    expect(result).toMatchObject({
      outcome: 'connection_error',
      responseStatus: null,
      error: `connection refused by 127.0.0.1:${receiver.port}: nothing listens there`,
      response: null,
      retryAfterMs: null,
    });
  });

  it('resets the connection before it answers is a connection error', async () => {
    await using receiver = await afterRequest((socket) => socket.resetAndDestroy());
    const { outcome, error } = await createTestSender().send(createPostRequest(receiver.url), limits);
    expect(outcome).toBe('connection_error');
    expect(error).toContain('reset the connection before it answered');
    expect(receiver.connections).toBe(1);
  });

  it('closes the connection before it answers is a connection error', async () => {
    await using receiver = await afterRequest((socket) => socket.end());
    const { outcome, error } = await createTestSender().send(createPostRequest(receiver.url), limits);
    expect(outcome).toBe('connection_error');
    expect(error).toContain('closed the connection before it answered (if it expects TLS');
    expect(receiver.connections).toBe(1);
  });

  it('closes the connection in the headers of its answer is a connection error', async () => {
    await using receiver = await afterRequest((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le'));
    const result = await createTestSender().send(createPostRequest(receiver.url), limits);
    expect(result).toMatchObject({ outcome: 'connection_error', responseStatus: null, response: null });
    expect(result.error).toContain('closed the connection in the headers of its answer');
  });

  it('breaks off its body after a 2xx is a connection error that keeps what arrived', async () => {
    await using receiver = await afterRequest((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhal'),
    );
    const result = await createTestSender().send(createPostRequest(receiver.url), limits);
    expect(result).toMatchObject({ outcome: 'connection_error', responseStatus: 200 });
    expect(result.error).toContain(
      'in the middle of its answer; status 200 and 3 bytes of the body had arrived',
    );
    expect(result.response).toMatchObject({ body: Buffer.from('hal'), truncated: true });
  });

  it('resets the connection in its body is a connection error', async () => {
    await using receiver = await afterRequest((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhal\r\n', () =>
        socket.resetAndDestroy(),
      );
    });
    const result = await createTestSender().send(createPostRequest(receiver.url), limits);
    expect(result).toMatchObject({
      outcome: 'connection_error',
      error: expect.stringMatching(/(?:reset|closed) the connection/),
    });
  });

  it.each([
    ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'did not answer with HTTP/1.1'],
    ['speaks HTTP/2 only', '\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80', 'did not answer with HTTP/1.1'],
    [
      'answers with a TLS alert',
      '\x15\x03\x01\0\x02\x02\x46',
      'expects TLS: its address starts with https://',
    ],
    [
      'switches protocols',
      'HTTP/1.1 101 Any\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n',
      'answered 101 Switching',
    ],
    ['switches to nothing', 'HTTP/1.1 101 Any\r\n\r\n', 'answered 101 Switching'],
    ['sends endless headers', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`, 'exceed 16 KiB'],
    ['sends endless interim headers', `HTTP/1.1 102 Any\r\nX: ${'x'.repeat(20_000)}`, 'exceed 16 KiB'],
    ['sends the status 099', 'HTTP/1.1 099 Any\r\nContent-Length: 0\r\n\r\n', 'with the invalid status 099'],
    ['sends the status 000', 'HTTP/1.1 000 Any\r\nContent-Length: 0\r\n\r\n', 'with the invalid status 000'],
    ['sends a status of two digits', 'HTTP/1.1 99 Any\r\n\r\n', 'did not answer with HTTP/1.1'],
    [
      'sends more informational responses than the limit',
      'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(65),
      'sent more than 64 informational responses',
    ],
    [
      'sends too many informational responses in a form that is read leniently',
      '\r\nHTTP/1.1 103 Early Hints\r\n\r\n'.repeat(65),
      'sent more than 64 informational responses',
    ],
    [
      'sends too many bytes of informational responses',
      `HTTP/1.1 103 Any\r\nX: ${'x'.repeat(15_000)}\r\n\r\n`.repeat(5),
      'more than 64 KiB of them',
    ],
    [
      'sends a malformed chunk',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      'is malformed; status 200',
    ],
    [
      'sends two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      'is not as long as its Content-Length',
    ],
  ])('%s is a connection error', async (_what, bytes, error) => {
    await using receiver = await afterRequest((socket) => socket.write(Buffer.from(bytes, 'latin1')));
    const result = await createTestSender().send(createPostRequest(receiver.url), limits);
    expect(result).toMatchObject({ outcome: 'connection_error', error: expect.stringContaining(error) });
  });

  it('sends as many informational responses as the limit allows is judged by its final response', async () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(64);
    const final = 'HTTP/1.1 204 No Content\r\n\r\n';
    await using receiver = await createRawReceiver(async (socket) => {
      for (;;) {
        await readRequest(socket);
        socket.write(interim + final);
      }
    });
    const sender = createTestSender({ connectionsPerOrigin: 1 });
    for (const _ of [1, 2]) {
      expect(await sender.send(createPostRequest(receiver.url), limits)).toMatchObject({
        responseStatus: 204,
      });
    }
    expect(receiver.connections).toBe(1);
  });

  it('never stops sending informational responses is cut off before the time limit', async () => {
    await using receiver = await afterRequest((socket) => {
      const flood = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(5_000));
      const write = () => {
        while (!socket.destroyed && socket.write(flood));
      };
      socket.on('drain', write);
      write();
    });
    const unlimited = { ...limits, attemptTimeoutMs: 2 ** 30 };
    const { outcome, error } = await createTestSender().send(createPostRequest(receiver.url), unlimited);
    expect([outcome, error]).toEqual([
      'connection_error',
      expect.stringContaining('informational responses'),
    ]);
  });

  it('answers before it has read the request is judged by its answer', async () => {
    await using receiver = await createRawReceiver((socket) => {
      socket.once('data', () =>
        socket.end('HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
      );
    });
    const body = Buffer.alloc(4_000_000);
    const result = await createTestSender().send({ url: receiver.url, headers: {}, body }, limits);
    expect(result.outcome === 'http_error' ? result.responseStatus : result.outcome).toBe(413);
  });

  it('expects TLS but is sent plain HTTP is a connection error that says so', async () => {
    await using receiver = await createReceiver({}, { certificate: getCertificate('localhost') });
    const result = await createTestSender().send(
      createPostRequest(receiver.url.replace('https:', 'http:')),
      limits,
    );
    expect(result).toMatchObject({ outcome: 'connection_error', error: expect.stringContaining('https://') });
  });
});

describe('the time limits', () => {
  // Long enough that a busy machine connects and reads the headers in time.
  const hurried = { ...limits, attemptTimeoutMs: 500 };

  it('end an attempt whose receiver never answers [delivery.timeout]', async () => {
    await using receiver = await createRawReceiver(() => undefined);
    const result = await createTestSender().send(createPostRequest(receiver.url), hurried);
    expect(result).toMatchObject({ outcome: 'timeout', responseStatus: null });
    expect(result.error).toBe(`127.0.0.1:${receiver.port} did not answer within 500ms`);
    expect(result.durationMs).toBeGreaterThanOrEqual(499);
  });

  it('end an attempt whose receiver drips its headers [delivery.timeout]', async () => {
    await using receiver = await afterRequest((socket) => socket.write('HTTP/1.1 200 OK\r\nX-'));
    const result = await createTestSender().send(createPostRequest(receiver.url), hurried);
    expect(result).toMatchObject({ outcome: 'timeout', responseStatus: null });
    expect(result.error).toBe(`127.0.0.1:${receiver.port} began to answer but did not finish within 500ms`);
  });

  it('end an attempt whose receiver drips its body, and close the connection [delivery.timeout]', async () => {
    const closed = createGate();
    await using receiver = await afterRequest((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
      const drip = setInterval(() => socket.write('x'), 10);
      socket.once('close', () => {
        clearInterval(drip);
        closed.open();
      });
    });
    const result = await createTestSender().send(createPostRequest(receiver.url), hurried);
    expect(result).toMatchObject({ outcome: 'timeout', responseStatus: 200, response: { truncated: true } });
    expect(result.error).toMatch(
      /did not finish within 500ms; status 200 and \d+ bytes of the body had arrived$/,
    );
    await closed.opened;
  });

  it('end an attempt that gets no connection, after the shorter of the two [delivery.timeout]', async () => {
    await using receiver = await createRawReceiver(() => undefined); // accepts, but never shakes hands
    const url = receiver.url.replace('http:', 'https:');
    const error = (within: string) => `no connection to 127.0.0.1:${receiver.port} within ${within}`;
    const sender = createTestSender();
    const [connect, whole] = await Promise.all([
      sender.send(createPostRequest(url), { ...limits, connectTimeoutMs: 60 }),
      sender.send(createPostRequest(url), { ...limits, attemptTimeoutMs: 70 }),
    ]);
    expect(connect).toMatchObject({ outcome: 'timeout', error: error('60ms') });
    expect(whole).toMatchObject({ outcome: 'timeout', error: error('70ms') });
  });

  it('never send what waited too long for a connection [delivery.timeout]', async () => {
    const answer = createGate();
    await using receiver = await createReceiver(() => ({ after: answer.opened }));
    const sender = createTestSender({ connectionsPerOrigin: 1 });
    const first = sender.send(createPostRequest(`${receiver.url}/first`), limits);
    await receiver.waitFor(1);
    expect(await sender.send(createPostRequest(`${receiver.url}/late`), hurried)).toMatchObject({
      outcome: 'timeout',
    });
    answer.open();
    await first;
    await sender.send(createPostRequest(`${receiver.url}/next`), limits);
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/first', '/next']);
  });
});
