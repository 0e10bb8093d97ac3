/** Tests how the emulator explains the signatures that it sent. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { DeliveryFaultKind } from '../../../src/domain/fault.ts';
import type { SignatureScheme } from '../../../src/signature/scheme.ts';
import { schemes } from '../../../src/signature/schemes.ts';
import { verifyMessage } from '../../../src/signature/verify.ts';
import { startDeliverySetup } from '../deliveries/delivery-setup.ts';

describe('an emulator with another signature scheme', () => {
  const acme: SignatureScheme = {
    name: 'acme',
    algorithm: 'sha512',
    key: { form: 'hex', prefix: 'key_' },
    content: '{id}\n{timestamp}\n{body}',
    encoding: 'base64',
    header: { prefix: 's=', separator: ';', timestampField: 'ts' },
    headers: { signature: 'Acme-Signature', timestamp: null, id: 'Acme-Id' },
    timestampFormat: 'unix_ms',
  };

  it('a delivery of an emulator with a custom scheme verifies by that scheme', async () => {
    const scheme = acme;
    const { control, receiver, webhook, deliver } = await startDeliverySetup({}, { scheme });
    const { id, attempts } = await deliver();
    const [request] = receiver.requests;
    const headers = new Headers(request?.headers as Record<string, string>);
    const payload = request?.body ?? '';
    const now = Date.parse(attempts[0]?.sent_at ?? '');
    const { secret } = webhook;
    expect(verifyMessage({ scheme, secret, headers, payload, now })).toMatchObject({ ok: true });
    const { verification } = await control.describeSignature({ id });
    expect(verification).toMatchObject({ ok: true, scheme: expect.any(String) });
  });

  it('an endpoint gets a secret in the form of the scheme', async () => {
    const { webhook } = await startDeliverySetup({}, { scheme: acme });
    expect(webhook.secret).toMatch(/^key_[0-9a-f]{64}$/);
  });

  it('an invalid scheme is rejected', async () => {
    const scheme = { ...schemes.svc, content: '{timestamp}' };
    await expect(startDeliverySetup({}, { scheme })).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('The field content of the signature scheme must be'),
    });
  });
});

describe('the verification of an attempt', () => {
  it.each<[DeliveryFaultKind, string | null, string]>([
    ['duplicate', null, 'The signature is valid, and its timestamp was'],
    ['bad-signature', 'wrong_secret', 'the body is unchanged: the signature was made with another secret'],
    ['old-secret', 'wrong_secret', 'It would match if the secret was the previous secret of wh_'],
    ['stale-timestamp', 'timestamp_too_old', 'exceeds the tolerance of 5m'],
    ['tamper-body', 'body_changed', 'The body was changed after signing: from byte '],
  ])(
    'the verification of an attempt reports the effect of the fault %s [§6.1, §6.3, §6.4]',
    async (kind, reason, detail) => {
      const { control, webhook, deliver } = await startDeliverySetup({});
      await control.rotateWebhookSecret({ id: webhook.id, overlap_ms: 1 });
      await control.advanceClock({ ms: 2 });
      await control.addFault({ on: 'delivery', kind, count: 1 });
      const { id } = await deliver();
      const { verification } = await control.describeSignature({ id, attempt: 1 });
      expect(verification).toMatchObject({ ok: reason === null, reason });
      expect(verification?.detail).toContain(detail);
    },
  );

  it('the verification of an attempt works across one rotation of the secret and is null after a second', async () => {
    const { control, webhook, deliver } = await startDeliverySetup();
    const { id } = await deliver();
    const verification = async () => (await control.describeSignature({ id })).verification;
    await control.rotateWebhookSecret({ id: webhook.id });
    await expect(verification()).resolves.toMatchObject({ ok: true });
    await control.rotateWebhookSecret({ id: webhook.id });
    await expect(verification()).resolves.toBeNull();
  });
});

describe('verifyDelivery', () => {
  it('verifyDelivery applies the configured tolerance unless another one is passed [signature.tolerance]', async () => {
    const { control, deliver } = await startDeliverySetup({}, { overrides: { 'signature.tolerance': '1m' } });
    const { id, attempts } = await deliver();
    const now = new Date(Date.parse(attempts[0]?.sent_at ?? '') + 120_000).toISOString();
    expect(await control.verifyDelivery({ id, now })).toMatchObject({ reason: 'timestamp_too_old' });
    expect(await control.verifyDelivery({ id, now, tolerance_ms: 180_000 })).toMatchObject({ ok: true });
  });

  it('verifyDelivery names the endpoint whose secret matches, not the secret', async () => {
    const { control, emulator, webhook, deliver } = await startDeliverySetup();
    const { id } = await deliver();
    const other = await emulator.subscribe('http://127.0.0.1:9/', ['a.b']);
    const result = await control.verifyDelivery({ id, secrets: [other.secret] });
    expect(result).toMatchObject({
      reason: 'wrong_secret',
      detail: `The signature does not match. It would match if the secret was the secret of ${webhook.id}.`,
    });
    const { api_key: apiKey } = emulator.status();
    await expect(control.verifyDelivery({ id, secrets: [apiKey] })).resolves.toMatchObject({
      reason: 'api_key_as_secret',
    });
  });

  it('verifyDelivery says that the endpoint of the delivery was deleted, and names it before others with the same secret', async () => {
    const { control, webhook, deliver } = await startDeliverySetup();
    const { id } = await deliver();
    // Like the temporary endpoint of svc listen --print-secret.
    const { id: later } = await control.createWebhook({ url: webhook.url });
    for (const deleted of [later, webhook.id]) await control.deleteWebhook({ id: deleted });
    const { detail } = await control.verifyDelivery({ id, secrets: ['whsec_wrong'] });
    expect(detail).toBe(
      `The signature does not match. It would match if the secret was the secret of ${webhook.id}. The endpoint ${webhook.id} was deleted.`,
    );
    expect(await control.verifyDelivery({ id })).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/ The endpoint wh_\w+ was deleted\.$/),
    });
  });

  it('verifyDelivery recognizes a digest that Sum of Go has appended to the content', async () => {
    const { control, webhook, deliver } = await startDeliverySetup();
    const { id, attempts } = await deliver();
    const { headers = {}, body = '' } = attempts[0]?.request ?? {};
    const content = Buffer.from(`${headers['Service-Timestamp']}.${body}`);
    const computed = content.toString('hex') + createHmac('sha256', webhook.secret).digest('hex');
    expect(computed.length).toBeGreaterThan(512);
    expect(await control.verifyDelivery({ id, computed })).toMatchObject({ reason: 'algorithm_changed' });
  });

  it('verifyDelivery rejects a delivery or attempt that does not exist', async () => {
    const { control, trigger } = await startDeliverySetup();
    await expect(control.verifyDelivery({ id: 'del_none' })).rejects.toMatchObject({ code: 'not_found' });
    await control.addFault({ on: 'delivery', kind: 'delay', delay_ms: 60_000 });
    await trigger();
    await control.advanceClock({ ms: 0 });
    const { data } = await control.listDeliveries({});
    await expect(control.verifyDelivery({ id: `${data[0]?.id}` })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('has no attempts yet'),
    });
  });
});
