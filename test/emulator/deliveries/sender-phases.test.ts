import { describe, expect, it, onTestFinished } from 'vitest';
import { attemptPhases } from '../../../src/domain/attempt-phases.ts';
import type { SenderOptions, SendResult } from '../../../src/emulator/deliveries/sender.ts';
import { authority, getCertificate } from '../../support/certificates.ts';
import { createConnectProxy } from '../../support/connect-proxy.ts';
import { findFreePort } from '../../support/local-server.ts';
import { createRawReceiver, readRequest } from '../../support/raw-receiver.ts';
import { createReceiver } from '../../support/test-receiver.ts';
import { createTestWallClock } from '../../support/test-wall-clock.ts';
import { createPostRequest, createTestSender, limits } from './sender-setup.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';

/** The phases that an attempt had. */
function listPhases({ phases }: SendResult): string[] {
  return attemptPhases.filter((phase) => phases?.[phase] !== null);
}

/** A sender whose clock moves only when the test advances it. */
function createTimedSender(options: Partial<SenderOptions> = {}) {
  const wall = createTestWallClock();
  return { wall, sender: createTestSender({ wall, ...options }) };
}

describe('the phases of an attempt', () => {
  it('the first request to a host name over TLS has every phase', async () => {
    await using receiver = await createReceiver({}, { certificate: getCertificate('localhost') });
    const result = await createTestSender({ ca: authority }).send(createPostRequest(receiver.url));
    expect(listPhases(result)).toEqual([...attemptPhases]);
  });

  it('a request on a reused connection has no DNS, connect and TLS phase', async () => {
    await using receiver = await createReceiver({}, { certificate: getCertificate('localhost') });
    const sender = createTestSender({ ca: authority });
    await sender.send(createPostRequest(receiver.url));
    const result = await sender.send(createPostRequest(receiver.url));
    expect(listPhases(result)).toEqual(['queued', 'send', 'wait', 'receive']);
  });

  it('the connect phase of a request through a proxy includes the proxy, which resolves the name', async () => {
    await using receiver = await createReceiver({}, { certificate: getCertificate('elsewhere') });
    await using proxy = await createConnectProxy({ leadTo: receiver.port });
    const sender = createTestSender({ proxy: proxy.url, ca: authority });
    const result = await sender.send(createPostRequest('https://elsewhere.example/'));
    expect(listPhases(result)).toEqual(['queued', 'connect', 'tls', 'send', 'wait', 'receive']);
  });

  it('each phase lasts until the next one begins', async () => {
    const { wall, sender } = createTimedSender({
      lookup: async () => {
        wall.advance(10);
        return [{ address: '127.0.0.1', family: 4 }];
      },
    });
    await using receiver = await createRawReceiver(async (socket) => {
      wall.advance(20);
      await readRequest(socket);
      wall.advance(300);
      socket.write(OK);
    });
    const request = createPostRequest(`http://receiver.internal:${receiver.port}/`);
    const { phases, durationMs } = await sender.send(request);
    expect(phases).toMatchObject({ queued: 0, dns: 10, tls: null, send: 0, receive: 0 });
    // Whether the receiver or the sender learns first of the connection is up to the operating system.
    expect(Number(phases?.connect) + Number(phases?.wait)).toBe(320);
    expect(durationMs).toBe(330);
  });
});

describe('the phases of a failed attempt', () => {
  const hurried = { limits: { ...limits, attemptTimeoutMs: 1_000 } };
  const lookup = () => Promise.reject(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }));
  const openUntrusted = () => createReceiver({}, { certificate: getCertificate('localhost') });
  const openSilent = () => createRawReceiver((socket) => readRequest(socket));
  const openUnread = () => createRawReceiver((socket) => socket.resume());
  const closed = async () => ({ url: `http://127.0.0.1:${await findFreePort()}/`, close: () => {} });
  const at = (url: string) => async () => ({ url, close: () => {} });

  it.each<[string, string, () => Promise<{ url: string; close(): unknown }>, object, string[]]>([
    ['was blocked', 'blocked', at('http://169.254.169.254/'), {}, ['queued']],
    [
      'has a name that does not resolve',
      'dns_error',
      at('http://a.internal/'),
      { lookup },
      ['queued', 'dns'],
    ],
    ['is refused', 'connection_error', closed, {}, ['queued', 'connect']],
    ['meets an untrusted certificate', 'tls_error', openUntrusted, {}, ['queued', 'dns', 'connect', 'tls']],
    ['gets no response', 'timeout', openSilent, hurried, ['queued', 'connect', 'send', 'wait']],
    [
      'is not written in time',
      'timeout',
      openUnread,
      { ...hurried, writeOverMs: 60_000 },
      ['queued', 'connect', 'send'],
    ],
  ])(
    'an attempt that %s ends as %s in the phase that it has reached',
    async (_, outcome, open, options, phases) => {
      const { url, close } = await open();
      onTestFinished(() => void close());
      const request = { ...createPostRequest(url), ...options };
      const result = await createTestSender(options).send(request);
      expect([result.outcome, listPhases(result)]).toEqual([outcome, phases]);
    },
  );
});
