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
      outcome: 'blocked',
    });
  });
});
