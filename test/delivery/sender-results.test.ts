import { TLSSocket } from 'node:tls';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { OutboundAgent } from '../../src/delivery/outbound-agent.ts';
import type { NetworkError, OutboundRequest } from '../../src/delivery/outbound-exchange.ts';
import { createSender, type SendRequest } from '../../src/delivery/sender.ts';
import { MINUTE_MS } from '../../src/domain/duration.ts';
import { createPostRequest, limits } from './sender-setup.ts';

const sleeps = vi.hoisted(() => [] as unknown[][]);
vi.mock('node:timers/promises', () => ({
  setTimeout: async (...args: unknown[]) => void sleeps.push(args),
}));
beforeEach(() => void sleeps.splice(0));

type Target = Parameters<OutboundAgent['dispatch']>[0];

/** A sender whose requests end as `respond` says, in real time that the test moves. */
function createScriptedSender(respond: (request: OutboundRequest, target: Target) => void) {
  let now = 0;
  const wall = { now: () => Date.UTC(2026, 10, 20) + now, monotonic: () => now };
  const targets: Target[] = [];
  vi.spyOn(OutboundAgent.prototype, 'dispatch').mockImplementation((target, request) => {
    targets.push(target);
    respond(request, target);
  });
  const sender = createSender({ rule: 'local', wall, limits });
  return {
    ...{ sender, targets },
    pass: (ms: number) => {
      now += ms;
    },
    send: (url = 'http://receiver.test/hooks', request: Partial<SendRequest> = {}) =>
      sender.send({ ...createPostRequest(url), ...request }),
  };
}

/** Ends a request with a response. */
function endWith({ exchange }: OutboundRequest, status: number, headers = {}, body = ''): void {
  const controller = { abort: () => {} } as never;
  exchange.onRequestStart(controller);
  exchange.onResponseStarted();
  exchange.onResponseStart(controller, status, headers);
  exchange.onResponseData(controller, Buffer.from(body));
  exchange.onResponseEnd();
}

/** Ends a request with the loss of a reused connection. */
function closeReused({ exchange }: OutboundRequest): void {
  exchange.connection = { opening: [], startRequest: () => true };
  exchange.onRequestStart({ abort: () => {} } as never);
  exchange.finish(toError('UND_ERR_SOCKET'));
}

const toError = (code?: string): NetworkError =>
  Object.assign(new Error('the message'), code === undefined ? {} : { code });

describe('the result of a request', () => {
  const location = 'https://elsewhere.test/';
  it.each([
    [200, {}, null],
    [299, {}, null],
    [300, {}, 'the receiver responded with 300 Multiple Choices'],
    [
      300,
      { location },
      'the receiver responded with 300 Multiple Choices; redirects are not followed, so register https://elsewhere.test/ instead',
    ],
    [
      399,
      { location },
      'the receiver responded with 399; redirects are not followed, so register https://elsewhere.test/ instead',
    ],
    [400, { location }, 'the receiver responded with 400 Bad Request'],
    [201, { location }, null],
  ])('a response with status %i and the headers %j has the error %s', async (status, headers, error) => {
    const { send } = createScriptedSender((request) => endWith(request, status, headers, 'text'));
    const outcome = error === null ? 'succeeded' : 'http_error';
    const result = await send();
    expect(result).toMatchObject({ outcome, responseStatus: status, error, retryAfterMs: null });
    expect(result.response).toEqual({ headers, body: Buffer.from('text'), truncated: false });
  });

  it('a result has the duration, and a Retry-After date counts from the end of the request', async () => {
    const { send, pass } = createScriptedSender((request) => {
      pass(1_500);
      endWith(request, 503, { 'retry-after': 'Fri, 20 Nov 2026 00:01:00 GMT' });
    });
    pass(500);
    expect(await send()).toMatchObject({ durationMs: 1_500, retryAfterMs: 58_000 });
  });

  it.each([
    ['UND_ERR_INVALID_ARG', 'The request cannot be sent: the message.'],
    ['UND_ERR_NOT_SUPPORTED', 'The request cannot be sent: the message.'],
    ['UND_ERR_REQ_CONTENT_LENGTH_MISMATCH', 'The request cannot be sent: the message.'],
    ['EMFILE', 'The process has no free file descriptor, so no request can be sent.'],
  ])('a request that fails with %s before it is sent is an internal error', async (code, message) => {
    const { send } = createScriptedSender(({ exchange }) => exchange.finish(toError(code)));
    await expect(send()).rejects.toMatchObject({ code: 'internal_error', message });
  });

  it('a connection that fails with EMFILE is an internal error', async () => {
    vi.spyOn(OutboundAgent.prototype, 'connect').mockRejectedValue(toError('EMFILE'));
    const { sender } = createScriptedSender(() => {});
    const message = 'The process has no free file descriptor, so no request can be sent.';
    const connected = sender.connect({ url: 'http://receiver.test/' });
    await expect(connected).rejects.toMatchObject({ code: 'internal_error', message });
  });

  it.each(['ECONNREFUSED', undefined])(
    'a request that fails with the code %s has a failed result',
    async (code) => {
      const { send } = createScriptedSender(({ exchange }) => exchange.finish(toError(code)));
      expect(await send()).toMatchObject({
        outcome: 'connection_error',
        responseStatus: null,
        response: null,
      });
    },
  );
});

describe('the connection of a request', () => {
  it.each([
    [undefined, false],
    [false, false],
    [true, true],
  ])('insecureTls %s accepts any certificate: %s', async (insecureTls, expected) => {
    const { send, targets } = createScriptedSender((request) => endWith(request, 200));
    await send('https://receiver.test:8443/hooks?a=1', insecureTls === undefined ? {} : { insecureTls });
    const origin = 'https://receiver.test:8443';
    expect(targets).toEqual([{ origin, insecureTls: expected, usesNewConnection: false }]);
  });

  it('for five minutes after an origin closed a reused connection, its requests use new connections', async () => {
    let respond = closeReused;
    const { send, targets, pass } = createScriptedSender((request) => respond(request));
    await send();
    respond = (request) => endWith(request, 200);
    await send();
    await send('http://other.test/');
    pass(5 * MINUTE_MS - 1);
    await send();
    pass(1);
    await send();
    expect(targets.map(({ usesNewConnection }) => usesNewConnection)).toEqual([
      ...[false, true, false, true, false],
    ]);
  });

  it('only the newest thousand origins that closed a reused connection are remembered', async () => {
    let respond = closeReused;
    const { send, targets } = createScriptedSender((request) => respond(request));
    const urlOf = (number: number) => `http://receiver.test:${1_000 + number}/`;
    for (let number = 0; number < 1_000; number++) await send(urlOf(number));
    await send(urlOf(0));
    await send(urlOf(1_000));
    respond = (request) => endWith(request, 200);
    targets.length = 0;
    for (const number of [0, 1, 2, 1_000]) await send(urlOf(number));
    expect(targets.map(({ usesNewConnection }) => usesNewConnection)).toEqual([true, false, true, true]);
  });
});

describe('a slow body', () => {
  it.each([
    [10, 250, [3, 3, 4]],
    [10, 100, [10]],
    [10, 101, [5, 5]],
    [2, 60_000, [1, 1]],
    [0, 250, []],
  ])('a body of %i bytes over %i ms is written in parts of %j bytes', async (size, writeOverMs, parts) => {
    const written: Buffer[] = [];
    const { send } = createScriptedSender(async (request) => {
      for await (const part of request.body as AsyncIterable<Buffer>) written.push(part);
      endWith(request, 200, request.headers as object);
    });
    const body = Buffer.from('0123456789').subarray(0, size);
    const { response } = await send('http://receiver.test/', { body, writeOverMs });
    expect(written.map(({ length }) => length)).toEqual(parts);
    expect(Buffer.concat(written)).toEqual(body);
    expect(response?.headers).toMatchObject({ 'Content-Length': String(size) });
    const count = Math.max(1, parts.length);
    expect(sleeps).toEqual(
      Array.from({ length: count }, () => [writeOverMs / count, undefined, { ref: false }]),
    );
  });
});

describe('connect', () => {
  /** A sender that connects to this socket after 20 ms. */
  function createConnecting(connect: () => unknown) {
    const { sender, pass } = createScriptedSender(() => {});
    const spy = vi.spyOn(OutboundAgent.prototype, 'connect').mockImplementation(async () => {
      pass(20);
      return connect() as never;
    });
    pass(500);
    return { sender, spy };
  }

  it('connect returns the address of a plain connection and closes it', async () => {
    const destroy = vi.fn();
    const { sender, spy } = createConnecting(() => ({ remoteAddress: '192.0.2.1', destroy }));
    const result = await sender.connect({ url: 'http://receiver.test/hooks' });
    const address = '192.0.2.1';
    expect(result).toEqual({ outcome: 'connected', error: null, durationMs: 20, address, certificate: null });
    expect(destroy).toHaveBeenCalledTimes(1);
    expect(spy.mock.calls).toEqual([[{ origin: 'http://receiver.test', insecureTls: false }]]);
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
      throw toError('ECONNRESET');
    });
    expect(await sender.connect({ url: 'http://receiver.test/' })).toEqual({
      outcome: 'connection_error',
      error:
        'receiver.test reset the connection before it responded (if it expects TLS, use an https:// URL)',
      durationMs: 20,
      address: null,
      certificate: null,
    });
  });
});
