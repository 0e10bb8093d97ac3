import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type ConnectorOptions,
  createConnector,
  isOutOfFileDescriptors,
  loadUndici,
} from '../../src/delivery/connector.ts';
import { parseProxy } from '../../src/domain/http-proxy.ts';
import { createRawReceiver, readRequest } from '../support/raw-receiver.ts';
import { createTestWallClock } from '../support/test-wall-clock.ts';
import { createGate, wall } from './sender-setup.ts';

vi.mock('../../src/timers.ts', () => import('../support/fakeable-timers.ts'));

beforeAll(() => loadUndici());

/** Connects, and returns the phases and the error; null for a connection. */
async function connect(url: string, options: Partial<ConnectorOptions> = {}) {
  const origin = new URL(url);
  const open = createConnector(origin, {
    ...{ wall, rule: 'local', lookup: undefined, proxy: undefined, secureContext: undefined },
    ...{ connectTimeoutMs: 10_000, insecureTls: false, ...options },
  });
  const phases: string[] = [];
  const results: unknown[] = [];
  const { protocol, host, hostname, port } = origin;
  const error = await new Promise<Error | null>((resolve) => {
    const done: buildConnector.Callback = (...[failure, socket]) => {
      results.push(failure);
      socket?.destroy();
      resolve(failure);
    };
    open({ protocol, host, hostname, port }, done, (phase) => phases.push(phase));
  });
  await new Promise((resolve) => setImmediate(resolve));
  return { error, phases, calls: results.length };
}

/** A proxy that gives this response to CONNECT. */
async function openProxy(respond: (socket: Socket, request: string) => void) {
  const receiver = await createRawReceiver(async (socket) => respond(socket, await readRequest(socket)));
  onTestFinished(() => receiver.close());
  return { proxy: parseProxy({ url: receiver.url }), receiver };
}

describe('createConnector', () => {
  it.each([
    ['http://169.254.169.254/', undefined],
    ['http://receiver.example/', 'http://127.0.0.1:9'],
  ])('no connection is opened to the blocked destination %s', async (url, proxyUrl) => {
    const proxy = proxyUrl === undefined ? undefined : parseProxy({ url: proxyUrl });
    const { error, phases, calls } = await connect(url, { proxy });
    expect([error?.name, phases, calls]).toEqual(['BlockedError', [], 1]);
  });

  it('an address is connected to without a DNS phase, and a name with one', async () => {
    const receiver = await createRawReceiver(() => {});
    onTestFinished(() => receiver.close());
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    expect(await connect(receiver.url, { lookup })).toMatchObject({ error: null, phases: ['connect'] });
    expect(await connect(`http://receiver.internal:${receiver.port}`, { lookup })).toMatchObject({
      error: null,
      phases: ['dns', 'connect'],
    });
  });
});

describe('a connection through a proxy', () => {
  const url = 'https://receiver.example/';

  it.each([
    ['199 Early', 'returned 199 for a connection to receiver.example:443'],
    ['300 Multiple Choices', 'returned 300 Multiple Choices for a connection to receiver.example:443'],
    ['799 Any', 'returned 799 for a connection to receiver.example:443'],
    ['407 Any', 'returned 407 Proxy Authentication Required: put a valid user name'],
  ])('a proxy that responds with %s opens no connection, and its own is closed', async (status, problem) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const closed = createGate();
    const requests: string[] = [];
    const { proxy } = await openProxy((socket, request) => {
      requests.push(request);
      socket.once('close', closed.open).resume();
      socket.write(`HTTP/1.1 ${status}\r\n\r\n`);
    });
    const { error, phases } = await connect(url, { proxy });
    expect(error).toMatchObject({ name: 'ProxyError', message: expect.stringContaining(problem) });
    expect(error?.message).toMatch(/^the proxy 127\.0\.0\.1:\d+ returned/);
    expect([phases, vi.getTimerCount()]).toEqual([['connect'], 0]);
    expect(requests[0]).toMatch(/^CONNECT receiver\.example:443 HTTP\/1\.1\r\n/);
    expect(requests[0]?.toLowerCase()).not.toContain('proxy-authorization');
    await closed.opened;
  });

  it('a proxy that does not listen ends the connection with its error, and the time limit', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { receiver } = await openProxy(() => {});
    await receiver.close();
    const proxy = parseProxy({ url: `http://localhost:${receiver.port}` });
    const { error } = await connect(url, { proxy });
    expect(error?.message).toMatch(/^the proxy localhost:\d+ cannot be used: .*ECONNREFUSED/);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('a proxy that does not respond within the time limit loses its connection', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const [received, closed] = [createGate(), createGate()];
    const { proxy } = await openProxy((socket) => {
      socket.once('close', closed.open).resume();
      received.open();
    });
    const connected = connect(url, { proxy, connectTimeoutMs: 2_000 });
    await received.opened;
    vi.advanceTimersByTime(2_000);
    const message = `the proxy ${proxy.authority} did not open a connection within 2s`;
    expect((await connected).error).toMatchObject({ name: 'ProxyError', message });
    await closed.opened;
  });

  it('the TLS handshake gets what is left of the time limit', async () => {
    const clock = createTestWallClock();
    const { proxy } = await openProxy((socket) => {
      clock.advance(60_000);
      socket.resume().write('HTTP/1.1 200 OK\r\n\r\n');
    });
    const { error, phases } = await connect(url, { proxy, wall: clock, connectTimeoutMs: 60_001 });
    expect([error, phases]).toMatchObject([{ code: 'UND_ERR_CONNECT_TIMEOUT' }, ['connect', 'tls']]);
  });
});

describe('isOutOfFileDescriptors', () => {
  const toError = (code: string) => Object.assign(new Error('no'), { code });
  it.each([
    [true, 'EMFILE', toError('EMFILE')],
    [true, 'ENFILE', toError('ENFILE')],
    [false, 'another code', toError('ENOENT')],
    [false, 'no code', new Error('no')],
    [false, 'no error', { code: 'EMFILE' }],
    [false, 'null', null],
  ])('isOutOfFileDescriptors returns %s for %s', (expected, _, error) => {
    expect(isOutOfFileDescriptors(error)).toBe(expected);
  });
});
