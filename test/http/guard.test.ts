import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEmulator, type TestEmulator } from '../support/emulator.ts';

let emulator: TestEmulator;
let port: string;
beforeAll(async () => {
  emulator = await startTestEmulator();
  port = new URL(emulator.status().url).port;
});
afterAll(() => emulator.close());

/** Sends a request with these very headers. */
function ask(path: string, headers: Record<string, string>, method = 'GET') {
  return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const outgoing = request(emulator.status().url + path, { method, headers }, async (response) => {
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      resolve({ status: response.statusCode, text });
    });
    outgoing.on('error', reject).end();
  });
}

describe('the control plane answers', () => {
  it.each(['localhost', '127.0.0.1', '[::1]', 'LOCALHOST'])('to the host %s', async (host) => {
    expect((await ask('/_svc/status', { host: `${host}:${port}` })).status).toBe(200);
    expect((await ask('/_svc/status', { host })).status).toBe(200);
  });

  it.each([
    'evil.example',
    'evil.example:80',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.example#127.0.0.1',
    'user@evil.example',
    '169.254.169.254',
  ])('not to the host %j, by which a page could be led here', async (host) => {
    const { status, text } = await ask('/_svc/status', { host });
    expect(status).toBe(403);
    expect(JSON.parse(text).error.code).toBe('forbidden_origin');
    expect(text).not.toContain(emulator.status().api_key);
  });

  it('to its own pages', async () => {
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      const headers = { host, origin: `http://${host}` };
      expect((await ask('/_svc/status', headers)).status).toBe(200);
      expect(
        (await ask('/_svc/keys/key_1/revoke', { ...headers, 'content-type': 'application/json' }, 'POST'))
          .status,
      ).toBe(400);
    }
  });

  it.each(['http://evil.example', 'http://localhost:1', 'https://127.0.0.1', 'null', 'nonsense', ''])(
    'not to a page of %j',
    async (origin) => {
      const headers = { origin, 'content-type': 'application/json' };
      expect((await ask('/_svc/stop', headers, 'POST')).status).toBe(403);
      if (origin !== 'null') expect((await ask('/_svc/status', headers)).status).toBe(403);
    },
  );

  it('on every path of it, the live stream and what is not there included', async () => {
    for (const path of ['/_svc', '/_svc/events', '/_svc/nothing', '/_svc/deliveries/del_1']) {
      expect((await ask(path, { host: 'evil.example' })).status, path).toBe(403);
    }
  });

  it('without leave for other origins to read', async () => {
    const response = await fetch(`${emulator.status().url}/_svc/status`, { method: 'OPTIONS' });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(response.status).toBe(404);
  });
});

it('listens on the loopback address alone unless told otherwise', () => {
  expect(new URL(emulator.status().url).hostname).toBe('127.0.0.1');
});
