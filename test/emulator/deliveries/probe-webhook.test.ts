import { describe, expect, it } from 'vitest';
import { verify } from '../../../src/signature.ts';
import { authority, getCertificate } from '../../support/certificates.ts';
import { startTestEmulator, type TestEmulatorOptions } from '../../support/test-emulator.ts';
import { createReceiver, type ReceivedRequest, type Receiver } from '../../support/test-receiver.ts';

/** Whether a delivery is signed with this secret (§6). */
function isSigned({ headers, body }: ReceivedRequest, secret: string): boolean {
  const textOf = (name: string) => String(headers[name]);
  return verify({
    payload: body,
    signature: textOf('service-signature'),
    timestamp: textOf('service-timestamp'),
    secret,
  }).ok;
}

async function probe(url: string, input: { send?: boolean } = {}, options: TestEmulatorOptions = {}) {
  await using emulator = await startTestEmulator({ forwardTo: { url, events: ['a.b'] }, ...options });
  const { webhook_id, webhook_secret } = emulator.status();
  const findings = await emulator.control.probeWebhook({ id: String(webhook_id), ...input });
  const { data } = await emulator.control.listDeliveries({});
  return { found: findings, secret: String(webhook_secret), deliveries: data };
}

const overTls = (name: Parameters<typeof getCertificate>[0]): Promise<Receiver> =>
  createReceiver({}, { certificate: getCertificate(name) });

describe('probeWebhook', () => {
  it('a probe sends one delivery with the endpoint secret and one with another secret, and records neither', async () => {
    await using receiver = await createReceiver([{ status: 200 }, { status: 400 }]);
    const { found: findings, secret, deliveries } = await probe(receiver.url);
    expect(findings).toMatchObject({
      url: receiver.url,
      connection: { outcome: 'connected', error: null, address: '127.0.0.1', certificate: null },
      genuine: { outcome: 'succeeded', response_status: 200 },
      forged: { outcome: 'http_error', response_status: 400 },
    });
    const [genuine, forged] = receiver.requests as [ReceivedRequest, ReceivedRequest];
    expect([isSigned(genuine, secret), isSigned(forged, secret)]).toEqual([true, false]);
    expect(JSON.parse(genuine.body.toString())).toMatchObject({
      type: 'svc.probe',
      data: { id: expect.stringMatching(/^evt_/), type: 'svc.probe', payload: {} },
    });
    expect(genuine.headers['service-delivery-id']).not.toBe(forged.headers['service-delivery-id']);
    expect(deliveries).toEqual([]);
  });

  it('a probe without deliveries only connects', async () => {
    await using receiver = await createReceiver();
    const { found: findings } = await probe(receiver.url, { send: false });
    expect(findings).toMatchObject({ connection: { outcome: 'connected' }, genuine: null, forged: null });
    expect(receiver.requests).toEqual([]);
  });

  it('a probe reports the certificate that it accepted', async () => {
    await using receiver = await overTls('localhost');
    const { found: findings } = await probe(receiver.url, {}, { ca: authority });
    expect(findings.connection.certificate).toEqual({
      issuer: expect.any(String),
      valid_to: expect.stringMatching(/^\d{4}-/),
    });
    expect(findings.genuine).toMatchObject({ outcome: 'succeeded' });
  });

  it.each([
    ['expired', 'has expired'],
    ['self-signed', 'is self-signed'],
    ['elsewhere', 'is for DNS:elsewhere.example'],
  ] as const)('a probe sends nothing over a certificate that is %s', async (name, problem) => {
    await using receiver = await overTls(name);
    const { found: findings } = await probe(receiver.url, {}, { ca: authority });
    expect(findings).toMatchObject({
      connection: { outcome: 'tls_error', error: expect.stringContaining(problem), certificate: null },
      genuine: null,
    });
    expect(receiver.requests).toEqual([]);
  });

  it.each([
    ['http://127.0.0.1:1/', 'connection_error'],
    ['http://nowhere.invalid-name.internal:1/', 'dns_error'],
    ['http://[::ffff:127.0.0.1]:1/', 'connection_error'],
  ])('a probe says why %s cannot be reached', async (url, outcome) => {
    const { found: findings } = await probe(url);
    expect(findings).toMatchObject({ connection: { outcome, address: null }, genuine: null, forged: null });
  });

  it('a probe does not connect where deliveries may not go [network.doctor]', async () => {
    await using emulator = await startTestEmulator();
    const { workspace_id, url } = emulator.status();
    const { json } = await emulator.api('POST', '/webhooks', { workspace_id, url, events: ['a.b'] });
    expect(await emulator.control.probeWebhook({ id: json.id })).toMatchObject({
      connection: { outcome: 'blocked', error: expect.stringContaining('is the emulator itself') },
    });
  });

  it('a probe rejects an endpoint that does not exist', async () => {
    await using emulator = await startTestEmulator();
    const id = 'wh_01JD3Z5K8Q4W6X7Y8Z9A0B1C2D';
    await expect(emulator.control.probeWebhook({ id })).rejects.toMatchObject({ code: 'not_found' });
  });
});
