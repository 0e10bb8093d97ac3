import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parseResponseBody, sendRawRequest, sendRequest } from '../support/raw-request.ts';
import { startTestEmulator, type TestEmulator, type TestEmulatorOptions } from '../support/test-emulator.ts';

const internalErrors: unknown[] = [];
let emulator: TestEmulator;
beforeAll(async () => {
  emulator = await startTestEmulator({
    internalErrorLog: { report: (_, error) => internalErrors.push(error) },
  });
});
afterAll(() => emulator.close());

/** The status and the error code of `GET path` with this `Host`. */
async function ask(host: string, path = '/v1/events', to = emulator): Promise<[number | undefined, string]> {
  const { url, api_key: key } = to.status();
  const { status, text } = await sendRequest(url + path, { host, authorization: `Bearer ${key}` });
  return [status, JSON.parse(text).error?.code];
}

async function start(options: TestEmulatorOptions): Promise<TestEmulator> {
  const started = await startTestEmulator(options);
  onTestFinished(() => started.close());
  return started;
}

describe('a request without exactly one valid Host', () => {
  it.each([
    ['a port that does not exist', ['Host: localhost:99999']],
    ['an empty value', ['Host:']],
    ['a list', ['Host: localhost, evil.example']],
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

  it('the error envelope quotes the invalid Host', async () => {
    const head = 'POST /v1/events HTTP/1.1\r\nHost: localhost:99999\r\nContent-Length: 2\r\n\r\n{}';
    expect(parseResponseBody(await sendRawRequest(emulator.status().url, head)).error).toEqual({
      code: 'invalid_request',
      message: expect.stringContaining('"localhost:99999"'),
      request_id: expect.stringMatching(/^req_/),
    });
  });

  it.each(['http://localhost:99999/_svc/status', 'http://999.1.1.1/', 'nothing'])(
    'a request with the invalid target %s gets 400',
    async (target) => {
      const head = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
      const response = await sendRawRequest(emulator.status().url, head);
      expect(response).toMatch(/^HTTP\/1\.1 400 /);
      expect(internalErrors).toEqual([]);
    },
  );
});

describe('/v1 of an emulator that only this machine can reach', () => {
  it.each(['localhost', 'LOCALHOST:1', '127.0.0.1', '[::1]:4777', 'api.localhost'])(
    'the API responds to the loopback host %s',
    async (host) => expect(await ask(host)).toEqual([200, undefined]),
  );

  it.each(['evil.example', 'evil.example:4777', 'localhost.evil.example', '192.168.1.5', '0.0.0.0'])(
    'the API rejects the host %s, which DNS rebinding could make resolve to this machine [network.api-host]',
    async (host) => {
      for (const path of ['/v1/events', '/v1/nothing', '/v1', '/v1/webhooks']) {
        expect(await ask(host, path)).toEqual([403, 'forbidden_origin']);
      }
    },
  );

  it('the API rejects another host in an absolute request target', async () => {
    const head = 'GET http://evil.example/v1/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    expect(await sendRawRequest(emulator.status().url, head)).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('the API responds to the hosts of allowHost, and the control plane does not', async () => {
    const allowing = await start({ allowHost: ['Host.Docker.Internal', '10.0.2.2'] });
    expect(await ask('host.docker.internal:4777', '/v1/events', allowing)).toEqual([200, undefined]);
    expect(await ask('10.0.2.2', '/v1/events', allowing)).toEqual([200, undefined]);
    expect(await ask('evil.example', '/v1/events', allowing)).toEqual([403, 'forbidden_origin']);
    expect(await ask('host.docker.internal', '/_svc/status', allowing)).toEqual([403, 'forbidden_origin']);
  });

  it('the API responds to its public host', async () => {
    const proxied = await start({ publicUrl: 'https://svc.example.com:8443' });
    for (const host of ['svc.example.com', 'svc.example.com:1', 'localhost']) {
      expect(await ask(host, '/v1/events', proxied)).toEqual([200, undefined]);
    }
    expect(await ask('www.example.com', '/v1/events', proxied)).toEqual([403, 'forbidden_origin']);
  });

  it('the API responds to every request of its own process', async () => {
    const headers = { authorization: `Bearer ${emulator.status().api_key}` };
    const response = await emulator.fetch(new Request('https://api.example.com/v1/events', { headers }));
    expect(response.status).toBe(200);
  });

  it('an emulator with an allowHost that is not a host does not start', async () => {
    await expect(start({ allowHost: ['https://a.example'] })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('"https://a.example"'),
    });
  });
});

it('/v1 of an emulator that other machines can reach responds to every host', async () => {
  const reachable = await start({ host: '0.0.0.0' });
  expect(await ask('svc.example.com', '/v1/events', reachable)).toEqual([200, undefined]);
});

describe('the API key of a seeded run', () => {
  const boot = async (options: TestEmulatorOptions) => {
    const { api_key: key, webhook_secret: secret } = (
      await start({ randomSeed: 7, forwardTo: { url: 'http://localhost:3000', events: ['*'] }, ...options })
    ).status();
    return { key, secret };
  };

  it('the API key of a seeded run is the same on every run that only this machine can reach', async () => {
    expect(await boot({})).toEqual(await boot({}));
  });

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
