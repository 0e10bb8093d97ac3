import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MINUTE_MS } from '../../src/domain/duration.ts';
import { getCertificate } from '../support/certificates.ts';
import { createRawReceiver, readRequest } from '../support/raw-receiver.ts';
import { createReceiver } from '../support/test-receiver.ts';
import { between, openEmulator } from './delivery-setup.ts';

/** The address of a receiver that reads the request, and then does this. */
async function misbehave(act: (socket: Socket) => unknown): Promise<string> {
  const receiver = await createRawReceiver(async (socket) => {
    await readRequest(socket);
    await act(socket);
  });
  onTestFinished(() => receiver.close());
  return receiver.url;
}

/** Sends now and then a byte, for as long as somebody listens. */
function drip(socket: Socket, head: string): void {
  socket.write(head);
  const timer = setInterval(() => socket.write('x'), 10);
  socket.once('close', () => clearInterval(timer));
}

const receivers: Record<string, readonly [outcome: string, open: () => Promise<string>]> = {
  'does not listen': [
    'connection_error',
    async () => {
      const receiver = await createReceiver();
      await receiver.close();
      return receiver.url;
    },
  ],
  'resets the connection': ['connection_error', () => misbehave((socket) => socket.resetAndDestroy())],
  'breaks off in its headers': [
    'connection_error',
    () => misbehave((socket) => socket.end('HTTP/1.1 200 OK\r\nX')),
  ],
  'breaks off in its body': [
    'connection_error',
    () => misbehave((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhal')),
  ],
  'speaks another protocol': [
    'connection_error',
    () => misbehave((socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n')),
  ],
  'never answers': ['timeout', () => misbehave(() => undefined)],
  'drips its headers': ['timeout', () => misbehave((socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX-Slow: '))],
  'drips its body': [
    'timeout',
    () => misbehave((socket) => drip(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n')),
  ],
  'says 100 and 102 and no more': [
    'timeout',
    () => misbehave((socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n')),
  ],
  'has a certificate that nobody knows': [
    'tls_error',
    async () => {
      const receiver = await createReceiver({}, { certificate: getCertificate('self-signed') });
      onTestFinished(() => receiver.close());
      return receiver.url;
    },
  ],
  'has a name that does not resolve': ['dns_error', async () => 'https://nowhere.invalid/'],
};

describe('a receiver that', () => {
  it.each(Object.entries(receivers))(
    '%s has its own outcome, and the delivery is tried again in five minutes [§6.retries.non-2xx, delivery.success, delivery.timeout]',
    async (_, [outcome, open]) => {
      // Only those that never come to an end need to be hurried.
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

  it('is the emulator itself gets nothing [webhook.url]', async () => {
    const emulator = await openEmulator();
    await emulator.subscribe(`${emulator.status().base_url}/events`);
    const [delivery] = await emulator.deliveriesOf(await emulator.trigger());
    expect(delivery?.attempts).toMatchObject([{ outcome: 'blocked', response_status: null, response: null }]);
  });

  it('answers without end is cut off, and its status decides [delivery.response]', async () => {
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

  it('takes longer than an attempt may, measured in real time however fast the schedule runs [delivery.timeout]', async () => {
    const url = await misbehave(() => undefined);
    const overrides = { 'delivery.timeout': { connect: '100ms', attempt: '100ms' } };
    const emulator = await openEmulator({ overrides, clock: { speed: 1_000 } });
    await emulator.subscribe(url);
    const [delivery] = await emulator.deliveriesOf(await emulator.trigger());
    expect(delivery?.attempts[0]?.outcome).toBe('timeout');
    expect(delivery?.attempts[0]?.duration_ms).toBeGreaterThanOrEqual(99);
  });
});
