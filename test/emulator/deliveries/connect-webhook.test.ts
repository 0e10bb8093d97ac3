import { describe, expect, it } from 'vitest';
import { authority, getCertificate } from '../../support/certificates.ts';
import { startTestEmulator, type TestEmulatorOptions } from '../../support/test-emulator.ts';
import { createReceiver, type Receiver } from '../../support/test-receiver.ts';

async function connect(url: string, options: TestEmulatorOptions = {}) {
  await using emulator = await startTestEmulator({ forwardTo: { url, events: ['a.b'] }, ...options });
  const { webhook_id: id } = emulator.status();
  return emulator.control.connectWebhook({ id: String(id) });
}

const overTls = (name: Parameters<typeof getCertificate>[0]): Promise<Receiver> =>
  createReceiver({}, { certificate: getCertificate(name) });

describe('connectWebhook', () => {
  it('a connection check connects, and sends no request', async () => {
    await using receiver = await createReceiver();
    expect(await connect(receiver.url)).toMatchObject({
      ...{ url: receiver.url, outcome: 'connected', error: null, address: '127.0.0.1', certificate: null },
    });
    expect(receiver.requests).toEqual([]);
  });

  it('a connection check reports the certificate that it accepted', async () => {
    await using receiver = await overTls('localhost');
    expect((await connect(receiver.url, { ca: authority })).certificate).toEqual({
      issuer: expect.any(String),
      valid_to: expect.stringMatching(/^\d{4}-/),
    });
  });

  it.each([
    ['expired', 'has expired'],
    ['self-signed', 'is self-signed'],
    ['elsewhere', 'is for DNS:elsewhere.example'],
  ] as const)('a connection check does not accept a certificate that is %s', async (name, problem) => {
    await using receiver = await overTls(name);
    expect(await connect(receiver.url, { ca: authority })).toMatchObject({
      ...{ outcome: 'tls_error', error: expect.stringContaining(problem), certificate: null },
    });
  });

  it.each([
    ['http://127.0.0.1:1/', 'connection_error'],
    ['http://nowhere.invalid-name.internal:1/', 'dns_error'],
    ['http://[::ffff:127.0.0.1]:1/', 'connection_error'],
  ])('a connection check says why %s cannot be reached', async (url, outcome) => {
    expect(await connect(url)).toMatchObject({ outcome, address: null });
  });

  it('a connection check does not connect where deliveries may not go [network.doctor]', async () => {
    await using emulator = await startTestEmulator();
    const { workspace_id, url } = emulator.status();
    const { json } = await emulator.api('POST', '/webhooks', { workspace_id, url, events: ['a.b'] });
    expect(await emulator.control.connectWebhook({ id: json.id })).toMatchObject({
      ...{ outcome: 'blocked', error: expect.stringContaining('is the emulator itself') },
    });
  });

  it('a connection check rejects an endpoint that does not exist', async () => {
    await using emulator = await startTestEmulator();
    const id = 'wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';
    await expect(emulator.control.connectWebhook({ id })).rejects.toMatchObject({ code: 'not_found' });
  });
});
