import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MINUTE_MS } from '../../src/domain/duration.ts';
import { getCertificate } from '../support/certificates.ts';
import { findFreePort } from '../support/local-server.ts';
import { createRawReceiver, readRequest } from '../support/raw-receiver.ts';
import { createReceiver } from '../support/test-receiver.ts';
import { between, openEmulator } from './delivery-setup.ts';

/** The URL of a receiver that reads the request and then misbehaves. */
async function misbehave(act: (socket: Socket) => unknown): Promise<string> {
  const receiver = await createRawReceiver(async (socket) => {
    await readRequest(socket);
    await act(socket);
  });
  onTestFinished(() => receiver.close());
  return receiver.url;
}

/** Sends a byte from time to time until the connection is closed. */
function drip(socket: Socket, head: string): void {
  socket.write(head);
  const timer = setInterval(() => socket.write('x'), 10);
  socket.once('close', () => clearInterval(timer));
}

const receivers: Record<string, readonly [outcome: string, open: () => Promise<string>]> = {
  'does not listen': ['connection_error', async () => `http://127.0.0.1:${await findFreePort()}/`],
  'resets the connection': ['connection_error', () => misbehave((socket) => socket.resetAndDestroy())],
  'breaks off within its headers': [
    'connection_error',
    () => misbehave((socket) => socket.end('HTTP/1.1 200 OK\r\nX')),
  ],
  'breaks off within its body': [
    'connection_error',
    () => misbehave((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhal')),
  ],
  'speaks another protocol': [
    'connection_error',
    () => misbehave((socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n')),
  ],
  'never responds': ['timeout', () => misbehave(() => undefined)],
  'sends its headers slowly': [
    'timeout',
    () => misbehave((socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX-Slow: ')),
  ],
  'sends its body slowly': [
    'timeout',
    () => misbehave((socket) => drip(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n')),
  ],
  'says 100 and 102 and no more': [
    'timeout',
    () => misbehave((socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n')),
  ],
  'has a certificate of an unknown authority': [
    'tls_error',
    async () => {
      const receiver = await createReceiver({}, { certificate: getCertificate('self-signed') });
      onTestFinished(() => receiver.close());
      return receiver.url;
    },
  ],
  'has a name that does not resolve': ['dns_error', async () => 'https://nowhere.invalid/'],
};

describe('attempt outcomes', () => {
  it.each(Object.entries(receivers))(
    'a receiver that %s gets its own outcome, and the next attempt is due in five minutes [§6.retries.non-2xx, delivery.success, delivery.timeout]',
    async (_, [outcome, open]) => {
      // Only receivers that never finish need a short time limit.
      const attempt = outcome === 'timeout' ? '200ms' : '15s';
      const emulator = await openEmulator({ overrides: { 'delivery.timeout': { attempt } } });
      await emulator.subscribe(await open());
      const [delivery] = await emulator.deliveriesOf(await emulator.trigger());
      expect(delivery).toMatchObject({
        ...{ status: 'pending', settled_reason: null, attempt_count: 1 },
        attempts: [{ outcome, error: expect.stringMatching(/.{10}/) }],
      });
      expect(between(delivery?.created_at, delivery?.next_attempt_at)).toBe(5 * MINUTE_MS);
    },
  );

  it('an endpoint that points to the emulator itself receives nothing [webhook.url]', async () => {
    const emulator = await openEmulator();
    await emulator.subscribe(`${emulator.status().base_url}/events`);
    const [delivery] = await emulator.deliveriesOf(await emulator.trigger());
    expect(delivery?.attempts).toMatchObject([{ outcome: 'blocked', response_status: null, response: null }]);
  });

  it('an endless response is cut off, and its status decides the outcome [delivery.response]', async () => {
    const flood = (socket: Socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n');
      const more = () => {
        while (socket.writable && socket.write('x'.repeat(65_536)));
      };
      socket.on('drain', more);
      more();
    };
    const emulator = await openEmulator();
    await emulator.subscribe(await misbehave(flood));
    const [delivery] = await emulator.deliveriesOf(await emulator.trigger());
    expect(delivery).toMatchObject({ status: 'succeeded', attempts: [{ response: { truncated: true } }] });
    expect(delivery?.attempts[0]?.response?.body).toHaveLength(65_536);
  });

  it('an attempt times out in real time, however fast the schedule clock runs [delivery.timeout]', async () => {
    const url = await misbehave(() => undefined);
    const overrides = { 'delivery.timeout': { connect: '100ms', attempt: '100ms' } };
    const emulator = await openEmulator({ overrides, clock: { speed: 1_000 } });
    await emulator.subscribe(url);
    const [delivery] = await emulator.deliveriesOf(await emulator.trigger());
    expect(delivery?.attempts[0]?.outcome).toBe('timeout');
    expect(delivery?.attempts[0]?.duration_ms).toBeGreaterThanOrEqual(99);
  });
});
