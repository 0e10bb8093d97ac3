import { H3Event } from 'h3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRequestGuard, type RequestGuardOptions } from '../../src/http/request-guard.ts';
import {
  parseResponseBody,
  type ReceivedResponse,
  sendRawRequest,
  sendRequest,
} from '../support/raw-request.ts';
import { startTestEmulator, type TestEmulator, type TestEmulatorOptions } from '../support/test-emulator.ts';
import { createTestWallClock } from '../support/test-wall-clock.ts';

const internalErrors: unknown[] = [];
let emulator: TestEmulator;
let port: string;
beforeAll(async () => {
  emulator = await startTestEmulator({
    internalErrorLog: { report: (_, error) => internalErrors.push(error) },
  });
  port = new URL(emulator.status().url).port;
});
afterAll(() => emulator.close());

const ask = (path: string, headers: Record<string, string>, method?: string, body?: string) =>
  sendRequest(emulator.status().url + path, headers, method, body);

const namesOf = ({ headers }: ReceivedResponse) => Object.keys(headers);

describe('the control plane', () => {
  it.each(['localhost', '127.0.0.1', '[::1]', 'LOCALHOST'])(
    'the control plane responds to the host %s',
    async (host) => {
      expect((await ask('/_svc/status', { host: `${host}:${port}` })).status).toBe(200);
      expect((await ask('/_svc/status', { host })).status).toBe(200);
    },
  );

  it.each([
    'evil.example',
    'localhost.evil.example',
    'evil.localhost',
    '127.0.0.1.evil.example',
    'localhost.',
    '192.168.1.5',
    '0.0.0.0',
    '2130706433',
    '[::ffff:127.0.0.1]',
  ])(
    'the control plane rejects the host %j, which DNS rebinding could make resolve to this machine',
    async (host) => {
      const { status, text } = await ask('/_svc/status', { host });
      expect(status).toBe(403);
      expect(JSON.parse(text).error.code).toBe('forbidden_origin');
      expect(text).not.toContain(emulator.status().api_key);
    },
  );

  it('the control plane responds to its own pages', async () => {
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      const headers = { host, origin: `http://${host}` };
      expect((await ask('/_svc/status', headers)).status).toBe(200);
      expect(
        (await ask('/_svc/keys/key_1/revoke', { ...headers, 'content-type': 'application/json' }, 'POST'))
          .status,
      ).toBe(404);
    }
  });

  it.each(['http://evil.example', 'http://localhost:1', 'https://127.0.0.1', 'null', 'nonsense', ''])(
    'the control plane rejects a page of %j [control.origin]',
    async (origin) => {
      const headers = { origin, 'content-type': 'application/json' };
      expect((await ask('/_svc/stop', headers, 'POST')).status).toBe(403);
      for (const path of ['/_svc/status', '/_svc/stream', '/', '/assets/index.js']) {
        expect((await ask(path, headers)).status, path).toBe(403);
      }
    },
  );

  it('the control plane checks the host on every path, including the live stream and unknown paths [control.host]', async () => {
    for (const path of [
      '/_svc',
      '/_svc/stream',
      '/_svc/nothing',
      '/_svc/deliveries/del_1',
      '/openapi.json',
    ]) {
      expect((await ask(path, { host: 'evil.example' })).status, path).toBe(403);
    }
  });

  it('the control plane responds to a forwarded request only with its own host', async () => {
    const status = async (host: string) => (await ask('/_svc/status', { 'x-forwarded-host': host })).status;
    expect(await status('localhost:5173')).toBe(200);
    expect(await status('evil.example')).toBe(403);
    expect(await status('localhost, evil.example')).toBe(403);
  });

  it.each(['cross-site', 'same-site', 'anything'])(
    'the control plane rejects Sec-Fetch-Site %s, which an embedded stream sends without an Origin [control.origin]',
    async (site) => {
      for (const path of ['/_svc/stream', '/_svc/status', '/_svc/openapi.json', '/assets/index.js']) {
        expect((await ask(path, { 'sec-fetch-site': site })).status, path).toBe(403);
      }
    },
  );

  it.each(['OPTIONS', 'HEAD', 'TRACE', 'PROPFIND'])(
    'the control plane grants nothing to %s',
    async (method) => {
      const headers = {
        origin: 'http://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      };
      for (const path of ['/_svc/stop', '/_svc/stream', '/', '/assets/index.js', '/v1/events']) {
        const response = await ask(path, headers, method);
        expect(response.status, path).toBeGreaterThanOrEqual(400);
        expect(namesOf(response).filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    },
  );
});

describe('a form of another site', () => {
  const body = '{"clock":"frozen"}';

  it.each([
    'application/x-www-form-urlencoded',
    'text/plain; a=application/json',
    ', application/json',
    null,
  ])('a form with the type %j changes nothing, even without an Origin', async (type) => {
    const headers = { ...(type !== null && { 'content-type': type }), 'content-length': String(body.length) };
    for (const path of ['/_svc/stop', '/_svc/reset', '/_svc/clock/settle', '/_svc/keys']) {
      const { status, text } = await ask(path, headers, 'POST', body);
      expect([path, status, JSON.parse(text).error.code]).toEqual([path, 415, 'unsupported_media_type']);
      const foreign = { ...headers, origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' };
      expect((await ask(path, foreign, 'POST', body)).status).toBe(403);
    }
    expect((await ask('/_svc/status', {})).status).toBe(200);
  });

  it('a form without a body changes nothing [control.forms]', async () => {
    const form = { 'content-length': '0', 'content-type': 'application/x-www-form-urlencoded' };
    expect((await ask('/_svc/stop', form, 'POST')).status).toBe(415);
    const script = { 'content-length': '0', origin: 'http://evil.example' };
    expect((await ask('/_svc/stop', script, 'POST')).status).toBe(403);
  });
});

it.each([
  ['a port that does not exist', ['Host: localhost:99999']],
  ['a letter beyond ASCII', ['Host: loc\u00e4lhost']],
  ['two headers', ['Host: localhost', 'Host: evil.example']],
  ['no header', []],
])(
  'a request without exactly one valid Host gets 400 from every path and leaves no internal error: %s [network.host-header]',
  async (_, lines) => {
    for (const path of ['/_svc/status', '/', '/v1/events', '/openapi.json', '/healthz', '/nothing']) {
      for (const version of ['1.0', '1.1']) {
        const head = [`GET ${path} HTTP/${version}`, ...lines, 'Connection: close'].join('\r\n');
        const response = await sendRawRequest(
          emulator.status().url,
          Buffer.from(`${head}\r\n\r\n`, 'latin1'),
        );
        expect(response, path).toMatch(/^HTTP\/1\.1 400 /);
        expect(parseResponseBody(response).error.code).toBe('invalid_request');
        expect(response).not.toContain(emulator.status().api_key);
      }
    }
    expect(internalErrors).toEqual([]);
  },
);

describe('/v1 of an emulator that only this machine can reach', () => {
  it.each(['evil.example', 'evil.example:4777', 'localhost.evil.example', '192.168.1.5', '0.0.0.0'])(
    'the API rejects the host %s, which DNS rebinding could make resolve to this machine [network.api-host]',
    async (host) => {
      const authorization = `Bearer ${emulator.status().api_key}`;
      for (const path of ['/v1/events', '/v1/nothing', '/v1', '/v1/webhooks']) {
        const { status, text } = await ask(path, { host, authorization });
        expect([status, JSON.parse(text).error.code]).toEqual([403, 'forbidden_origin']);
      }
    },
  );

  it('the API rejects another host in an absolute request target', async () => {
    const head = 'GET http://evil.example/v1/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    expect(await sendRawRequest(emulator.status().url, head)).toMatch(/^HTTP\/1\.1 403 /);
  });
});

describe('a request without exactly one host and one origin', () => {
  const send = (...lines: string[]) =>
    sendRawRequest(emulator.status().url, `${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`);

  it.each([
    ['a host that is percent-encoded', ['Host: %6cocalhost.evil.example']],
    ['a host that never ends', [`Host: ${'localhost.'.repeat(500)}`]],
    ['two origins', ['Host: localhost', 'Origin: http://localhost', 'Origin: http://evil.example']],
    ['a list of origins', ['Host: localhost', 'Origin: http://localhost http://evil.example']],
    ['an origin with another host behind @', ['Host: localhost', 'Origin: http://localhost@evil.example']],
    ['an origin of a file', ['Host: localhost', 'Origin: file://']],
    ['an origin of an extension', ['Host: localhost', 'Origin: chrome-extension://abcdef']],
    ['an origin that is not a URL', ['Host: localhost', 'Origin: http://[']],
  ])('a request with %s is rejected [network.double-headers]', async (_, lines) => {
    const response = await send('GET /_svc/status HTTP/1.1', ...lines);
    expect(response).toMatch(/^HTTP\/1\.1 (?:400|403) /);
    expect(response).not.toContain(emulator.status().api_key);
  });

  it.each(['http://evil.example/_svc/status', '//evil.example/_svc/status'])(
    'a request for %s is rejected, regardless of Host',
    async (target) => {
      const response = await send(`GET ${target} HTTP/1.1`, 'Host: localhost');
      expect(response).toMatch(/^HTTP\/1\.1 (?:400|403|404) /);
      expect(response).not.toContain(emulator.status().api_key);
    },
  );
});

describe('every response', () => {
  it.each([
    ['GET', '/_svc/status', 200],
    ['GET', '/_svc/deliveries', 200],
    ['GET', '/_svc/openapi.json', 200],
    ['GET', '/_svc/nothing', 404],
    ['GET', '/_svc/deliveries?limit=0', 400],
    ['POST', '/_svc/keys', 422],
    ['GET', '/openapi.json', 200],
    ['GET', '/healthz', 200],
    ['GET', '/nothing', 404],
    ['GET', '/v1/events', 401],
    ['GET', '/%', 400],
  ])('the response to %s %s (%i) cannot be interpreted as another type', async (method, path, status) => {
    const response = await ask(path, {}, method);
    expect(response.status).toBe(status);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    expect(namesOf(response).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it.each(['/_svc/status', '/_svc/nothing', '/_svc/stream', '/openapi.json'])(
    'a response of %s is not cached, not framed and not shared with other pages [control.response-headers]',
    async (path) => {
      expect((await ask(path, {})).headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      });
    },
  );
});

it('the page of the emulator can open the live stream, although a GET has no Origin', async () => {
  const headers = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'last-event-id': '0' };
  const { status, headers: responseHeaders, text } = await ask('/_svc/stream', headers);
  expect([status, responseHeaders['content-type']]).toEqual([200, 'text/event-stream']);
  expect(text).toMatch(/^event: ready\ndata: \{/);
});

it('an emulator listens on the loopback address only by default [network.loopback]', () => {
  expect(new URL(emulator.status().url).hostname).toBe('127.0.0.1');
});

const createGuard = (options: Partial<RequestGuardOptions> = {}) =>
  createRequestGuard({
    ...{ host: '127.0.0.1', publicUrl: null, controlToken: null, wall: createTestWallClock() },
    ...options,
  });

describe('the hosts of the control plane', () => {
  const publicUrl = 'https://svc.test:8443';
  it.each<[string, string | null, string, Record<string, string>, boolean]>([
    ['My-Host.test', null, 'http://my-host.test:4777', {}, true],
    ['127.0.0.1', null, 'http://192.168.1.5', {}, false],
    ['127.0.0.1', null, 'http://localhost', { 'x-forwarded-host': ' localhost , LOCALHOST:1' }, true],
    ['0.0.0.0', null, 'http://192.168.1.5:4777', {}, true],
    ['::', null, 'http://[2001:db8::5]:4777', {}, true],
    ['::', null, 'http://svc.test', {}, false],
    ['127.0.0.1', publicUrl, 'http://svc.test', {}, true],
    ['127.0.0.1', publicUrl, 'http://svc.test', { origin: publicUrl }, true],
    ['127.0.0.1', publicUrl, 'http://svc.test', { origin: 'https://svc.test:8444' }, false],
    ['127.0.0.1', 'https://svc.example.com', 'http://svc.example.com', {}, false],
  ])(
    'an emulator on %s with the public URL %s and a request to %s with %j: accepted is %s',
    (host, publicAddress, url, headers, isAccepted) => {
      const guard = createGuard({ host, publicUrl: publicAddress });
      const accept = () => guard.assertAllowed(new H3Event(new Request(url, { headers })));
      if (isAccepted) expect(accept()).toBeUndefined();
      else expect(accept).toThrow(expect.objectContaining({ code: 'forbidden_origin' }));
    },
  );
});

describe('the hosts of the API', () => {
  const check = (host: string, options: Partial<RequestGuardOptions> = {}) =>
    createGuard({
      ...{ publicUrl: 'https://svc.test:8443', allowHost: ['host.docker.internal', '10.0.2.2'] },
      ...options,
    }).assertApiHost(new H3Event(new Request('http://localhost/v1/events', { headers: { host } })));

  it.each([
    ...['localhost:4777', 'LOCALHOST:1', '127.0.0.1', '[::1]:4777', 'api.localhost'],
    ...['svc.test', 'svc.test:1', 'host.docker.internal:4777', '10.0.2.2'],
  ])('the API accepts the Host %j', (host) => {
    expect(check(host)).toBeUndefined();
  });

  it.each(['x:99999', 'a b', 'www.svc.test', 'evil.example'])('the API rejects the Host %j', (host) => {
    expect(() => check(host)).toThrow(expect.objectContaining({ code: 'forbidden_origin' }));
    expect(check(host, { host: '0.0.0.0' })).toBeUndefined();
  });
});

describe('the token', () => {
  const token = 'a-token.of_mine~0123';
  const guard = createGuard({ controlToken: token, publicUrl: 'https://svc.test' });
  const toEvent = (address: string, headers: Record<string, string> = {}) =>
    new H3Event(new Request(address, { headers }));

  it('a correct token counts, even next to the cookie of an earlier run', () => {
    const headers = { authorization: `Bearer ${token}`, cookie: 'svc_token_4777=0123456789abcdef' };
    expect(guard.assertAllowed(toEvent('http://localhost:4777/', headers))).toBeUndefined();
  });

  it('the error says whether a token is missing or wrong', () => {
    const assert = (headers: Record<string, string>) => () =>
      guard.assertAllowed(toEvent('http://localhost/', headers));
    expect(assert({})).toThrow('requires a token');
    expect(assert({ authorization: 'Bearer null' })).toThrow('The control token is invalid.');
  });

  it('the cookie of a default port has its own name, and is Secure only for the public host and over HTTPS', () => {
    const cookie = (origin: string) => guard.openPage(toEvent(`${origin}/?token=${token}`));
    const expected = `svc_token_default=${token}; HttpOnly; SameSite=Lax; Path=/`;
    expect(cookie('http://localhost')).toBe(expected);
    for (const origin of ['http://svc.test', 'https://localhost']) {
      expect(cookie(origin)).toBe(`${expected}; Secure`);
    }
    const headers = { cookie: `svc_token_default=${token}` };
    expect(guard.assertAllowed(toEvent('http://localhost/', headers))).toBeUndefined();
  });
});

describe('the API key of a seeded run', () => {
  const boot = async (options: TestEmulatorOptions) => {
    const forwardTo = { url: 'http://localhost:3000', events: ['*'] };
    await using started = await startTestEmulator({ randomSeed: 7, forwardTo, ...options });
    const { api_key: key, webhook_secret: secret } = started.status();
    return { key, secret };
  };

  it.each([
    ['on all addresses', { host: '0.0.0.0' }],
    ['behind a public address', { publicUrl: 'https://svc.example.com' }],
  ])(
    'the API key does not come from the seed %s, and the webhook secret still does [network.random-keys]',
    async (_, options) => {
      const [local, first, second] = [await boot({}), await boot(options), await boot(options)];
      expect(new Set([local.key, first.key, second.key]).size).toBe(3);
      expect([first.secret, second.secret]).toEqual([local.secret, local.secret]);
    },
  );
});
