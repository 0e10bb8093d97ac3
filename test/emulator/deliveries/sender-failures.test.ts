import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createRawReceiver, readRequest } from '../../support/raw-receiver.ts';
import { createGate, createPostRequest, createTestSender, limits } from './sender-setup.ts';

/** Opens a receiver that reads the request and then misbehaves. */
const afterRequest = (act: (socket: Socket) => unknown) =>
  createRawReceiver(async (socket) => {
    await readRequest(socket);
    await act(socket);
  });

describe('connection errors', () => {
  it.each<[string, string, (socket: Socket) => unknown]>([
    [
      'closes the connection within the response headers',
      'closed the connection while it sent the response headers',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le'),
    ],
    [
      'resets the connection within the body',
      'the connection while it sent the response body; received status 200',
      (socket) =>
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhal\r\n', () =>
          socket.resetAndDestroy(),
        ),
    ],
  ])('a receiver that %s is a connection error, and gets one request', async (_, message, act) => {
    await using receiver = await afterRequest(act);
    const { outcome, error } = await createTestSender().send(createPostRequest(receiver.url));
    expect([outcome, error]).toEqual(['connection_error', expect.stringContaining(message)]);
    expect(receiver.connections).toBe(1);
  });

  it('a receiver that breaks off the body after a 2xx is a connection error that keeps what arrived', async () => {
    await using receiver = await afterRequest((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhal'),
    );
    const result = await createTestSender().send(createPostRequest(receiver.url));
    expect(result).toMatchObject({ outcome: 'connection_error', responseStatus: 200 });
    expect(result.response).toMatchObject({ body: Buffer.from('hal'), truncated: true });
  });

  it.each([
    ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'did not respond with HTTP/1.1'],
    [
      'switches protocols',
      'HTTP/1.1 101 Any\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n',
      'returned 101 Switching',
    ],
    ['switches protocols without naming one', 'HTTP/1.1 101 Any\r\n\r\n', 'returned 101 Switching'],
    ['sends endless headers', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`, 'exceed 16 KiB'],
    ['sends endless informational headers', `HTTP/1.1 102 Any\r\nX: ${'x'.repeat(20_000)}`, 'exceed 16 KiB'],
    ['sends the status 099', 'HTTP/1.1 099 Any\r\nContent-Length: 0\r\n\r\n', 'the invalid status 099'],
    ['sends the status 000', 'HTTP/1.1 000 Any\r\nContent-Length: 0\r\n\r\n', 'the invalid status 000'],
    ['sends a status of two digits', 'HTTP/1.1 99 Any\r\n\r\n', 'did not respond with HTTP/1.1'],
    [
      'sends more informational responses than the limit',
      'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(65),
      'sent more than 64 informational responses',
    ],
    [
      'sends too many malformed informational responses that the parser accepts',
      '\r\nHTTP/1.1 103 Early Hints\r\n\r\n'.repeat(65),
      'sent more than 64 informational responses',
    ],
    [
      'sends a malformed chunk',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      'is malformed; received status 200',
    ],
    ['sends a NUL in a header', 'HTTP/1.1 200 OK\r\nX-A: a\0b\r\n\r\n', 'an invalid character'],
  ])('a receiver that %s is a connection error', async (_what, bytes, error) => {
    await using receiver = await afterRequest((socket) => socket.write(Buffer.from(bytes, 'latin1')));
    const result = await createTestSender().send(createPostRequest(receiver.url));
    expect(result).toMatchObject({ outcome: 'connection_error', error: expect.stringContaining(error) });
  });

  it('a receiver that sends as many informational responses as allowed is judged by its final response', async () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(64);
    const final = 'HTTP/1.1 204 No Content\r\n\r\n';
    await using receiver = await createRawReceiver(async (socket) => {
      for (;;) {
        await readRequest(socket);
        socket.write(interim + final);
      }
    });
    const sender = createTestSender();
    for (const _ of [1, 2]) {
      expect(await sender.send(createPostRequest(receiver.url))).toMatchObject({
        responseStatus: 204,
      });
    }
    expect(receiver.connections).toBe(1);
  });

  it('a receiver that never stops sending informational responses is cut off before the time limit [receivers.informational]', async () => {
    await using receiver = await afterRequest((socket) => {
      const flood = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(5_000));
      const write = () => {
        while (!socket.destroyed && socket.write(flood));
      };
      socket.on('drain', write);
      write();
    });
    const unlimited = { ...limits, attemptTimeoutMs: 2 ** 30 };
    const sender = createTestSender({ limits: unlimited });
    const { outcome, error } = await sender.send(createPostRequest(receiver.url));
    expect([outcome, error]).toEqual([
      'connection_error',
      expect.stringContaining('informational responses'),
    ]);
  });

  it('a receiver that responds before it has read the request is judged by its response', async () => {
    await using receiver = await createRawReceiver((socket) => {
      socket.once('data', () =>
        socket.end('HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
      );
    });
    const body = Buffer.alloc(4_000_000);
    const result = await createTestSender().send({ url: receiver.url, headers: {}, body });
    expect(result.outcome === 'http_error' ? result.responseStatus : result.outcome).toBe(413);
  });
});

describe('time limits', () => {
  // Long enough that a busy machine connects and reads the headers in time.
  const createHurriedSender = (options = {}) =>
    createTestSender({ limits: { ...limits, attemptTimeoutMs: 500 }, ...options });

  it('the time limit ends an attempt whose receiver never responds [delivery.timeout, receivers.time-limit]', async () => {
    await using receiver = await createRawReceiver(() => undefined);
    const result = await createHurriedSender().send(createPostRequest(receiver.url));
    expect(result).toMatchObject({ outcome: 'timeout', responseStatus: null });
    expect(result.error).toContain(`127.0.0.1:${receiver.port} did not respond within 500ms`);
    expect(result.durationMs).toBeGreaterThanOrEqual(499);
  });

  it('the time limit ends an attempt whose receiver sends its headers slowly [delivery.timeout, receivers.time-limit]', async () => {
    await using receiver = await afterRequest((socket) => socket.write('HTTP/1.1 200 OK\r\nX-'));
    const result = await createHurriedSender().send(createPostRequest(receiver.url));
    expect(result).toMatchObject({ outcome: 'timeout', responseStatus: null });
    expect(result.error).toBe(
      `127.0.0.1:${receiver.port} started a response but did not finish it within 500ms`,
    );
  });

  it('the time limit ends an attempt whose receiver sends its body slowly, and closes the connection [delivery.timeout, receivers.time-limit]', async () => {
    const closed = createGate();
    await using receiver = await afterRequest((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
      const drip = setInterval(() => socket.write('x'), 10);
      socket.once('close', () => {
        clearInterval(drip);
        closed.open();
      });
    });
    const result = await createHurriedSender().send(createPostRequest(receiver.url));
    expect(result).toMatchObject({ outcome: 'timeout', responseStatus: 200, response: { truncated: true } });
    expect(result.error).toMatch(
      /did not finish it within 500ms; received status 200 and \d+ bytes of the body$/,
    );
    await closed.opened;
  });

  it('the shorter of the two time limits ends an attempt that gets no connection [delivery.timeout]', async () => {
    await using receiver = await createRawReceiver(() => undefined); // accepts connections without a TLS handshake
    const url = receiver.url.replace('http:', 'https:');
    const error = (within: string) => `no connection to 127.0.0.1:${receiver.port} within ${within}`;
    const sendWithin = (change: object) =>
      createTestSender({ limits: { ...limits, ...change } }).send(createPostRequest(url));
    const [connect, whole] = await Promise.all([
      sendWithin({ connectTimeoutMs: 60 }),
      sendWithin({ attemptTimeoutMs: 70 }),
    ]);
    expect(connect).toMatchObject({ outcome: 'timeout', error: error('60ms') });
    expect(whole).toMatchObject({ outcome: 'timeout', error: error('70ms') });
  });
});
