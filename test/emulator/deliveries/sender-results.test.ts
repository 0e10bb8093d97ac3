import { TLSSocket } from 'node:tls';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createSender } from '../../../src/emulator/deliveries/sender.ts';
import {
  type Exchange,
  type NetworkError,
  OutboundClient,
  type OutboundRequest,
} from '../../../src/platform/outbound-client.ts';
import { createTestWallClock } from '../../support/test-wall-clock.ts';
import { createPostRequest, limits } from './sender-setup.ts';

const sleeps = vi.hoisted(() => [] as unknown[][]);
vi.mock('node:timers/promises', () => ({
  setTimeout: async (...args: unknown[]) => void sleeps.push(args),
}));
beforeEach(() => void sleeps.splice(0));

const url = 'http://receiver.test/hooks';
const toError = (code: string): NetworkError => Object.assign(new Error('the message'), { code });

function createScriptedSender(exchange: Partial<Exchange>) {
  const result = { failure: null, response: null, stage: 'waiting', durationMs: 0, ...exchange } as Exchange;
  vi.spyOn(OutboundClient.prototype, 'send').mockResolvedValue(result);
  const sender = createSender({ rule: 'local', wall: createTestWallClock(), limits });
  return (to = url) => sender.send(createPostRequest(to));
}

describe('the result of a request', () => {
  const location = 'https://elsewhere.test/';
  it.each([
    [200, {}, null],
    [299, {}, null],
    [300, {}, 'the receiver responded with 300 Multiple Choices'],
    [
      300,
      { location },
      'the receiver responded with 300 Multiple Choices and redirects to https://elsewhere.test/; redirects are not followed',
    ],
    [
      399,
      { location },
      'the receiver responded with 399 and redirects to https://elsewhere.test/; redirects are not followed',
    ],
    [
      308,
      { location: '/hooks/' },
      'the receiver responded with 308 Permanent Redirect and redirects to http://receiver.test/hooks/; redirects are not followed',
    ],
    [400, { location }, 'the receiver responded with 400 Bad Request'],
    [201, { location }, null],
  ])('a response with status %i and the headers %j has the error %s', async (status, headers, error) => {
    const send = createScriptedSender({
      response: { status, headers, body: Buffer.from('text'), truncated: false },
    });
    const outcome = error === null ? 'succeeded' : 'http_error';
    const result = await send();
    expect(result).toMatchObject({ outcome, responseStatus: status, error, retryAfterMs: null });
    expect(result.response).toMatchObject({ headers, body: Buffer.from('text'), truncated: false });
  });

  it.each(['EMFILE', 'ENFILE'])('a request that fails with %s is an internal error', async (code) => {
    const message = 'The process has no free file descriptor, so no request can be sent.';
    const send = createScriptedSender({ failure: toError(code) });
    await expect(send()).rejects.toMatchObject({ code: 'internal_error', message });
  });

  it.each([
    ['the first request to a local origin', [url], true],
    ['a second request to it that has no response either', [url, url], false],
    ['a request to an origin that responded before', ['responded', url], false],
    ['a request to a public origin', ['https://receiver.example/'], false],
  ])('the timeout of %s mentions dev servers: %s', async (_, urls, expected) => {
    const exchange = { failure: 'timeout', stage: 'waiting' } as Exchange;
    const send = createScriptedSender(exchange);
    const response = { status: 500, headers: {}, body: Buffer.alloc(0), truncated: false };
    let error: string | null = null;
    for (const to of urls) {
      if (to === 'responded') {
        vi.mocked(OutboundClient.prototype.send).mockResolvedValueOnce({
          ...{ failure: null, stage: 'body', response, durationMs: 0 },
        } as never);
      }
      ({ error } = await send(to === 'responded' ? url : to));
    }
    expect(error?.includes('a dev server compiles at the first request')).toBe(expected);
  });
});

it.each([
  [10, 250, [3, 3, 4]],
  [10, 100, [10]],
  [10, 101, [5, 5]],
  [2, 60_000, [1, 1]],
  [0, 250, [0]],
])('a body of %i bytes over %i ms is written in parts of %j bytes', async (size, writeOverMs, parts) => {
  createScriptedSender({});
  const body = Buffer.from('0123456789').subarray(0, size);
  const sender = createSender({ rule: 'local', wall: createTestWallClock(), limits });
  await sender.send({ ...createPostRequest(url), body, writeOverMs });
  const [[message]] = vi.mocked(OutboundClient.prototype.send).mock.calls as [[OutboundRequest]];
  const written: Buffer[] = [];
  for await (const part of message.body as AsyncIterable<Buffer>) written.push(part);
  expect(written.map(({ length }) => length)).toEqual(parts);
  expect(Buffer.concat(written)).toEqual(body);
  expect(message.headers).toMatchObject({ 'Content-Length': size });
  expect(sleeps).toEqual(parts.map(() => [writeOverMs / parts.length, undefined, { ref: false }]));
});

describe('connect', () => {
  /** A sender that connects to this socket after 20 ms. */
  function createConnecting(connect: () => unknown) {
    const wall = createTestWallClock();
    const spy = vi.spyOn(OutboundClient.prototype, 'connect').mockImplementation(async () => {
      wall.advance(20);
      return connect() as never;
    });
    return { sender: createSender({ rule: 'local', wall, limits }), spy };
  }

  it('connect returns the address of a plain connection and closes it', async () => {
    const destroy = vi.fn();
    const { sender, spy } = createConnecting(() => ({ remoteAddress: '192.0.2.1', destroy }));
    const result = await sender.connect({ url: 'http://receiver.test/hooks' });
    const address = '192.0.2.1';
    expect(result).toEqual({ outcome: 'connected', error: null, durationMs: 20, address, certificate: null });
    expect(destroy).toHaveBeenCalledTimes(1);
    expect(spy.mock.calls).toEqual([['http://receiver.test/hooks', false]]);
  });

  it.each([
    ['its organization', { O: 'Authority', CN: 'Root' }, 'Authority'],
    ['its name', { CN: 'Root' }, 'Root'],
  ])('connect returns the issuer of the certificate by %s', async (_, issuer, expected) => {
    const socket = Object.create(TLSSocket.prototype, {
      remoteAddress: { value: undefined },
      getPeerCertificate: { value: () => ({ issuer, valid_to: 'Nov 20 00:00:00 2027 GMT' }) },
      destroy: { value: () => {} },
    });
    const { sender } = createConnecting(() => socket);
    expect(await sender.connect({ url: 'https://receiver.test/', insecureTls: true })).toMatchObject({
      ...{ outcome: 'connected', address: null },
      certificate: { issuer: expected, validTo: Date.UTC(2027, 10, 20) },
    });
  });

  it('connect returns a failure', async () => {
    const { sender } = createConnecting(() => {
      throw Object.assign(toError('ECONNRESET'), { syscall: 'read' });
    });
    expect(await sender.connect({ url: 'http://receiver.test/' })).toEqual({
      outcome: 'connection_error',
      error: 'receiver.test reset the connection before it responded',
      durationMs: 20,
      address: null,
      certificate: null,
    });
  });
  it('a connection that fails with EMFILE is an internal error', async () => {
    const { sender } = createConnecting(() => {
      throw toError('EMFILE');
    });
    await expect(sender.connect({ url })).rejects.toMatchObject({ code: 'internal_error' });
  });
});
