/** An emulator behind a proxy or a tunnel with another address. */
import { describe, expect, it } from 'vitest';
import { sendRequest } from '../support/raw-request.ts';
import { createReverseProxy, type ReverseProxy } from '../support/reverse-proxy.ts';
import { startTestEmulator } from '../support/test-emulator.ts';

const OF_THE_NETWORK = 'http://svc.test';
const OF_THE_WORLD = 'https://svc.example.com';

/** An emulator behind a proxy with the address `publicUrl`. */
async function startBehind(proxy: ReverseProxy, publicUrl: string) {
  const emulator = await startTestEmulator({ publicUrl });
  proxy.setTarget(emulator.status().url);
  const { hostname } = new URL(publicUrl);
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    sendRequest(
      proxy.url + path,
      { host: hostname, ...headers },
      method,
      method === 'GET' ? undefined : '{}',
    );
  return { emulator, ask };
}

describe.each(['kept', 'forwarded', 'lost'] as const)('behind a proxy by which the host is %s', (host) => {
  it.each([OF_THE_NETWORK, OF_THE_WORLD])(
    'the API responds at %s/v1, and its document requires the token',
    async (publicUrl) => {
      await using proxy = await createReverseProxy(host);
      const { emulator, ask } = await startBehind(proxy, publicUrl);
      await using _ = emulator;
      const { base_url, api_key } = emulator.status();
      expect(base_url).toBe(`${publicUrl}/v1`);
      expect((await ask('/v1/events', { authorization: `Bearer ${api_key}` })).status).toBe(200);
      expect((await ask('/openapi.json')).status).not.toBe(200);
      const { url, control_token } = emulator.status();
      const document = await sendRequest(`${url}/openapi.json`, { authorization: `Bearer ${control_token}` });
      expect(JSON.parse(document.text).servers).toEqual([expect.objectContaining({ url: base_url })]);
    },
  );
});

describe('the control plane', () => {
  it.each(['kept', 'forwarded'] as const)(
    'the control plane responds at a name of this network, host %s',
    async (host) => {
      await using proxy = await createReverseProxy(host);
      const { emulator, ask } = await startBehind(proxy, OF_THE_NETWORK);
      await using _ = emulator;
      const { control_token } = emulator.status();
      expect(emulator.status()).toMatchObject({
        control_url: `${OF_THE_NETWORK}/_svc`,
        dashboard_url: `${OF_THE_NETWORK}/?token=${control_token}`,
      });
      const headers = {
        ...{ origin: OF_THE_NETWORK, 'content-type': 'application/json' },
        authorization: `Bearer ${control_token}`,
      };
      expect((await ask('/_svc/status', headers)).status).toBe(200);
      expect((await ask('/_svc/clock/settle', headers, 'POST')).status).toBe(200);
      const foreign = { ...headers, origin: 'http://evil.example' };
      expect((await ask('/_svc/clock/settle', foreign, 'POST')).status).toBe(403);
    },
  );

  it.each(['kept', 'forwarded'] as const)(
    'the control plane does not respond at a public name, host %s [network.public-address]',
    async (host) => {
      await using proxy = await createReverseProxy(host);
      const { emulator, ask } = await startBehind(proxy, OF_THE_WORLD);
      await using _ = emulator;
      const { url, control_url, control_token, dashboard_url } = emulator.status();
      expect([control_url, dashboard_url]).toEqual([`${url}/_svc`, `${url}/?token=${control_token}`]);
      const headers = { authorization: `Bearer ${control_token}` };
      const { status, text } = await ask('/_svc/status', headers);
      expect(status).toBe(403);
      expect(JSON.parse(text).error).toMatchObject({
        code: 'forbidden_origin',
        hint: { text: expect.stringContaining('--public-url') },
      });
      expect((await fetch(`${url}/_svc/status`, { headers })).status).toBe(200);
    },
  );

  it.each([OF_THE_NETWORK, OF_THE_WORLD])(
    'a client that comes by %s needs the token if the proxy hides the public name',
    async (publicUrl) => {
      await using proxy = await createReverseProxy('lost');
      const { emulator, ask } = await startBehind(proxy, publicUrl);
      await using _ = emulator;
      for (const path of ['/', '/_svc/status', '/_svc/stream', '/_svc/openapi.json']) {
        expect((await ask(path)).status, path).toBe(401);
      }
    },
  );

  it('the control plane does not respond at an unknown name, forwarded or not', async () => {
    await using proxy = await createReverseProxy('forwarded');
    const { emulator, ask } = await startBehind(proxy, OF_THE_NETWORK);
    await using _ = emulator;
    const headers = { authorization: `Bearer ${emulator.status().control_token}` };
    expect((await ask('/_svc/status', { ...headers, host: 'other.test' })).status).toBe(403);
    expect((await ask('/_svc/status', { ...headers, host: 'localhost:5173' })).status).toBe(200);
  });
});
