import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type HttpConnection,
  type NetworkError,
  OutboundExchange,
} from '../../src/delivery/outbound-exchange.ts';

vi.mock('../../src/timers.ts', () => import('../support/fakeable-timers.ts'));

const BODY_LIMIT = 8;

/** An exchange with the events of undici, and a clock that moves only with `pass`. It was dispatched at time 0. */
function startExchange({ isReused = false, timeoutMs = 1_000 } = {}) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let now = 0;
  const exchange = new OutboundExchange(timeoutMs, BODY_LIMIT, { monotonic: () => now });
  let aborts = 0;
  let starts = 0;
  const controller = { abort: () => void aborts++ } as unknown as Dispatcher.DispatchController;
  const connection = {
    opening: [] as HttpConnection['opening'],
    startRequest() {
      starts++;
      connection.opening = [];
      return isReused;
    },
  };
  exchange.connection = connection;
  return {
    ...{ exchange, connection },
    counts: () => ({ aborts, starts }),
    pass: (ms: number) => {
      now += ms;
    },
    start: () => exchange.onRequestStart(controller),
    respond: (status: number, headers = {}) => exchange.onResponseStart(controller, status, headers),
    data: (text: string) => exchange.onResponseData(controller, Buffer.from(text)),
    fail: (error: Error) => exchange.onResponseError(controller, error),
  };
}

const toError = (code?: string): NetworkError =>
  Object.assign(new Error('lost'), code === undefined ? {} : { code });

describe('the response of an exchange', () => {
  it('a response has its status, its headers with repeated ones joined, and its body, and ends the time limit', async () => {
    const { exchange, start, respond, data, counts } = startExchange();
    start();
    exchange.onResponseStarted();
    respond(201, { 'x-a': 'b', 'x-twice': ['1', '2'] });
    data('abc');
    data('de');
    exchange.onResponseEnd();
    expect(vi.getTimerCount()).toBe(0);
    exchange.finish('stopped');
    expect(await exchange.result).toMatchObject({
      ...{ stage: 'body', failure: null, closedReusedConnection: false },
      response: {
        ...{ status: 201, headers: { 'x-a': 'b', 'x-twice': '1, 2' } },
        ...{ body: Buffer.from('abcde'), truncated: false },
      },
    });
    expect(counts()).toEqual({ aborts: 0, starts: 1 });
  });

  it.each([
    [['abcdefgh'], 'abcdefgh', false],
    [['abcdefgh', 'i'], 'abcdefgh', true],
    [['abcdefghi'], 'abcdefgh', true],
    [['abc', 'defghijk'], 'abcdefgh', true],
    [[], '', false],
  ])(
    'a body of the parts %j is kept up to 8 bytes: %s, and truncated is %s',
    async (parts, body, truncated) => {
      const { exchange, start, respond, data, counts } = startExchange();
      start();
      respond(500);
      for (const part of parts) data(part);
      exchange.onResponseEnd();
      expect(await exchange.result).toMatchObject({
        failure: null,
        response: { status: 500, body: Buffer.from(body), truncated },
      });
      expect(counts().aborts).toBe(truncated ? 1 : 0);
    },
  );

  it('a response that breaks off is truncated', async () => {
    const { exchange, start, respond, data, fail } = startExchange();
    const error = toError('ECONNRESET');
    start();
    respond(200);
    data('abc');
    fail(error);
    expect(await exchange.result).toMatchObject({
      ...{ stage: 'body', failure: error },
      response: { body: Buffer.from('abc'), truncated: true },
    });
  });

  it.each([
    [0, 'returned the invalid status 000'],
    [99, 'returned the invalid status 099'],
  ])('status %i is a violation of HTTP', async (status, violation) => {
    const { exchange, start, respond, counts } = startExchange();
    start();
    exchange.onResponseStarted();
    respond(status);
    expect(await exchange.result).toMatchObject({
      ...{ stage: 'headers', response: null },
      failure: { name: 'ProtocolError', violation },
    });
    expect(counts().aborts).toBe(1);
  });

  it('64 informational responses are skipped', async () => {
    const { exchange, start, respond } = startExchange();
    start();
    for (let i = 0; i < 64; i++) respond(i === 0 ? 100 : 199);
    respond(200);
    exchange.onResponseEnd();
    expect(await exchange.result).toMatchObject({ failure: null, response: { status: 200 } });
  });

  it('65 informational responses are a violation of HTTP', async () => {
    const { exchange, start, respond, counts } = startExchange();
    start();
    for (let i = 0; i < 65; i++) respond(100);
    const violation = expect.stringContaining('more than 64 informational responses');
    expect(await exchange.result).toMatchObject({ response: null, failure: { violation } });
    expect(counts().aborts).toBe(1);
  });
});

describe('the time limit of an exchange', () => {
  it('the time limit ends an exchange and its connection, and what comes later is ignored', async () => {
    const { exchange, start, respond, data, counts } = startExchange();
    start();
    respond(200);
    data('ab');
    vi.advanceTimersByTime(999);
    expect(counts().aborts).toBe(0);
    vi.advanceTimersByTime(1);
    data('cd');
    expect(await exchange.result).toMatchObject({
      failure: 'timeout',
      response: { body: Buffer.from('ab'), truncated: true },
    });
    expect(counts().aborts).toBe(1);
  });

  it('a request that gets a connection after the time limit is aborted before it is sent', async () => {
    const { exchange, start, counts } = startExchange();
    vi.advanceTimersByTime(1_000);
    start();
    expect(counts()).toEqual({ aborts: 1, starts: 0 });
    expect(await exchange.result).toMatchObject({ stage: 'connecting', failure: 'timeout', response: null });
  });
});

describe('closedReusedConnection of an exchange', () => {
  type Started = ReturnType<typeof startExchange>;
  it.each<[boolean, string, boolean, (started: Started) => void]>([
    [true, 'ECONNRESET', true, ({ fail }) => fail(toError('ECONNRESET'))],
    [true, 'EPIPE', true, ({ fail }) => fail(toError('EPIPE'))],
    [true, 'UND_ERR_SOCKET', true, ({ fail }) => fail(toError('UND_ERR_SOCKET'))],
    [false, 'another error', true, ({ fail }) => fail(toError('HPE_INVALID_CONSTANT'))],
    [false, 'an error without a code', true, ({ fail }) => fail(toError())],
    [false, 'a stop', true, ({ exchange }) => exchange.finish('stopped')],
    [false, 'ECONNRESET of a new connection', false, ({ fail }) => fail(toError('ECONNRESET'))],
    [
      false,
      'ECONNRESET within the headers',
      true,
      ({ exchange, fail }) => {
        exchange.onResponseStarted();
        fail(toError('ECONNRESET'));
      },
    ],
  ])('closedReusedConnection is %s after %s', async (expected, _, isReused, end) => {
    const started = startExchange({ isReused });
    started.start();
    end(started);
    expect(await started.exchange.result).toMatchObject({ closedReusedConnection: expected });
  });
});

describe('the phases of an exchange', () => {
  const none = { queued: null, dns: null, connect: null, tls: null, send: null, wait: null, receive: null };

  it.each<[string, object, (body: Readable, pass: (ms: number) => void) => Promise<void> | void]>([
    [
      'before the first byte',
      { send: 30, wait: 20, receive: 50 },
      async (body, pass) => {
        pass(30);
        for await (const _ of body);
        pass(20);
      },
    ],
    ['not before the first byte', { send: 50, wait: 0, receive: 50 }, (_, pass) => pass(50)],
  ])('a body in parts that was written %s is sent until then', async (_, phases, write) => {
    const { exchange, connection, start, respond, pass } = startExchange();
    const body = Readable.from(['a', 'b']);
    exchange.followBody(body);
    connection.opening = [{ phase: 'connect', at: 40 }];
    pass(100);
    start();
    await write(body, pass);
    exchange.onResponseStarted();
    pass(50);
    // The rest of the body.
    if (!body.readableEnded) for await (const _ of body);
    respond(200);
    exchange.onResponseEnd();
    expect((await exchange.result).phases).toEqual({ ...none, queued: 40, connect: 60, ...phases });
  });

  it.each<[string, boolean, object]>([
    ['wait', false, { send: 0, wait: 50 }],
    ['send', true, { send: 50 }],
  ])(
    'an exchange without a response ends in its %s phase if its body is in parts: %s',
    async (_, isInParts, phases) => {
      const { exchange, start, pass } = startExchange();
      if (isInParts) exchange.followBody(Readable.from(['a']));
      pass(100);
      start();
      pass(50);
      exchange.finish('stopped');
      expect((await exchange.result).phases).toEqual({ ...none, queued: 100, ...phases });
    },
  );

  it.each<[string, (exchange: OutboundExchange) => void, object]>([
    ['the phases of the connection so far', () => {}, { queued: 30, dns: 70 }],
    [
      'one phase without a connection',
      (exchange) => {
        exchange.connection = null;
      },
      { queued: 100 },
    ],
  ])('an exchange that ends before its request starts has %s', async (_, change, phases) => {
    const { exchange, connection, pass } = startExchange();
    connection.opening = [{ phase: 'dns', at: 30 }];
    change(exchange);
    pass(100);
    exchange.finish('timeout');
    expect((await exchange.result).phases).toEqual({ ...none, ...phases });
  });
});
