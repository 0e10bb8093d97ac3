import https, { createServer } from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import {
  createServer as createNetServer,
  getDefaultAutoSelectFamilyAttemptTimeout,
  setDefaultAutoSelectFamilyAttemptTimeout,
} from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  OutboundClient,
  type OutboundClientOptions,
  type OutboundRequest,
} from '../../src/platform/outbound-client.ts';
import { authority, getCertificate } from '../support/certificates.ts';
import { listenDuringTest } from '../support/local-server.ts';
import { createReceiver } from '../support/test-receiver.ts';

function createClient(options: Partial<OutboundClientOptions> = {}): OutboundClient {
  const client = new OutboundClient({ rule: 'local', ...options });
  onTestFinished(() => client.close());
  return client;
}

const toRequest = (url: string, change: Partial<OutboundRequest> = {}): OutboundRequest => ({
  ...{ url, method: 'GET', timeoutMs: 10_000, bodyLimitBytes: 1_024 },
  ...change,
});

describe('OutboundClient', () => {
  it.each([
    'http://169.254.169.254/',
    'http://[fe80::1]/',
    'http://0.0.0.0/',
    'http://[::ffff:169.254.169.254]/',
  ])('a request to %s is blocked [network.receiver-check]', async (url) => {
    const { failure } = await createClient().send(toRequest(url));
    expect(failure).toMatchObject({ name: 'BlockedError' });
  });

  it('bytes of a receiver that no request waits for close its connection', async () => {
    let connections = 0;
    const server = createNetServer((socket) => {
      connections++;
      const response = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
      socket
        .on('error', () => {})
        .on('data', () => {
          socket.write(response);
          setTimeout(() => socket.write(response), 20);
        });
      socket.on('close', () => connections--);
    });
    const url = `http://127.0.0.1:${await listenDuringTest(server)}/`;
    const client = createClient();
    await client.send(toRequest(url));
    expect(connections).toBe(1);
    await expect.poll(() => connections).toBe(0);
    expect(await client.send(toRequest(url))).toMatchObject({ failure: null, response: { status: 200 } });
  });

  it('a request over HTTPS does not use https.request, which a test of a user can mock', async () => {
    const server = createServer(getCertificate('localhost'), (_, response) => response.end());
    const url = `https://localhost:${await listenDuringTest(server)}/`;
    const request = vi.spyOn(https, 'request');
    syncBuiltinESMExports();
    onTestFinished(() => {
      request.mockRestore();
      syncBuiltinESMExports();
    });
    const { response } = await createClient({ ca: authority }).send(toRequest(url));
    expect(response?.status).toBe(200);
    expect(request).not.toHaveBeenCalled();
  });

  it('the first address of a name gets more time than Node.js gives it by default', async () => {
    await using receiver = await createReceiver({ status: 204 });
    const defaultTimeoutMs = getDefaultAutoSelectFamilyAttemptTimeout();
    setDefaultAutoSelectFamilyAttemptTimeout(10);
    onTestFinished(() => setDefaultAutoSelectFamilyAttemptTimeout(defaultTimeoutMs));
    const lookup = async () => {
      // When the thread continues, the default is over before Node.js can notice that the connection is open.
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20));
      return [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ];
    };
    const { response } = await createClient({ lookup }).send(
      toRequest(`http://receiver.test:${receiver.port}/`),
    );
    expect(response?.status).toBe(204);
  });

  it('a signal ends a request and removes its listener, and an aborted signal starts none', async () => {
    await using receiver = await createReceiver(() => new Promise(() => undefined));
    const controller = new AbortController();
    const client = createClient();
    const sending = client.send(toRequest(receiver.url, { signal: controller.signal }));
    await receiver.waitFor(1);
    controller.abort();
    expect(await sending).toMatchObject({ failure: 'stopped', stage: 'waiting' });
    const { failure } = await client.send(toRequest(receiver.url, { signal: controller.signal }));
    expect([failure, receiver.requests.length]).toEqual(['stopped', 1]);
  });
});
