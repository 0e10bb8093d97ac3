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
});

describe('/v1 of an emulator that only this machine can reach', () => {
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

  it('an emulator with an allowHost that is not a host does not start', async () => {
    await expect(start({ allowHost: ['https://a.example'] })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('"https://a.example"'),
    });
  });
});

describe('the API key of a seeded run', () => {
  const boot = async (options: TestEmulatorOptions) => {
    const { api_key: key, webhook_secret: secret } = (
      await start({ randomSeed: 7, forwardTo: { url: 'http://localhost:3000', events: ['*'] }, ...options })
    ).status();
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
