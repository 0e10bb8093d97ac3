/** Tests the description of the signature of an attempt. */

import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startDeliverySetup } from '../deliveries/delivery-setup.ts';

describe('describeSignature', () => {
  it('describeSignature lists the signed content, its parts and the secrets [signature.content]', async () => {
    const { control, webhook, deliver } = await startDeliverySetup();
    const { id, attempts } = await deliver();
    const { request } = attempts[0] ?? {};
    const detail = await control.describeSignature({ id });
    const timestamp = request?.headers['Service-Timestamp'];
    expect(detail).toMatchObject({ scheme: 'svc', attempt: 1, verification: { ok: true } });
    expect(detail.headers).toEqual({
      'Service-Signature': request?.headers['Service-Signature'],
      'Service-Timestamp': timestamp,
      'Service-Delivery-Id': id,
    });
    expect(detail.signed_parts).toEqual([
      { part: 'timestamp', text: timestamp },
      { part: 'literal', text: '.' },
      { part: 'body', text: request?.body },
    ]);
    const hmac = createHmac('sha256', webhook.secret).update(request?.signed_content ?? '');
    expect(detail.secrets).toEqual([
      {
        ...{ name: 'current', masked: `whsec_…${webhook.secret.slice(-4)}` },
        ...{ signature: `v1=${hmac.digest('hex')}`, matches: true },
      },
    ]);
  });

  it('describeSignature tells the two secrets of a rotation apart [signature.header]', async () => {
    const { control, webhook, deliver } = await startDeliverySetup();
    const before = await deliver();
    await control.rotateWebhookSecret({ id: webhook.id });
    const during = await deliver();
    const secretsOf = async (id: string) =>
      (await control.describeSignature({ id })).secrets.map(({ name, matches }) => [name, matches]);
    await expect(secretsOf(before.id)).resolves.toEqual([
      ['current', false],
      ['previous', true],
    ]);
    await expect(secretsOf(during.id)).resolves.toEqual([
      ['current', true],
      ['previous', true],
    ]);
  });

  it('describeSignature describes the last attempt or the attempt that is named', async () => {
    const { control, deliver } = await startDeliverySetup([{ status: 500 }]);
    const { id } = await deliver();
    await control.advanceClock({ ms: 300_000 });
    await expect(control.describeSignature({ id })).resolves.toMatchObject({ attempt: 2 });
    await expect(control.describeSignature({ id, attempt: 1 })).resolves.toMatchObject({ attempt: 1 });
    await expect(control.describeSignature({ id, attempt: 3 })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('verifyDelivery', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  it('verifyDelivery accepts the body, secrets and time of the receiver and an earlier attempt', async () => {
    const { control, webhook, deliver } = await startDeliverySetup(500);
    const { id, attempts } = await deliver();
    await control.nextClock({});
    const body = `${attempts[0]?.request.body}\n`;
    const verification = await control.verifyDelivery({
      ...{ id, attempt: 1, secrets: ['whsec_other', '', webhook.secret], payload_base64: base64(body) },
    });
    expect(verification).toMatchObject({ ok: false, reason: 'body_changed' });
    const later = new Date(Date.parse(`${attempts[0]?.sent_at}`) + 600_000).toISOString();
    await expect(control.verifyDelivery({ id, attempt: 1, now: later })).resolves.toMatchObject({
      reason: 'timestamp_too_old',
    });
  });
});
