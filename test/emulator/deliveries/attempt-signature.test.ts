import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { header, startDeliverySetup } from './delivery-setup.ts';

describe('the signature of a delivery', () => {
  const parts = async (overrides: Record<string, unknown>) => {
    const { receiver, webhook, deliver } = await startDeliverySetup({}, { overrides });
    const { id } = await deliver();
    const [request] = receiver.requests;
    const timestamp = header(request, 'service-timestamp');
    return {
      id,
      secret: webhook.secret,
      timestamp,
      signature: header(request, 'service-signature'),
      body: `${request?.body}`,
    };
  };

  it.each(['{body}', 'v0:{timestamp}:{id}:{body}:end'])(
    'a delivery is signed over the configured content %s [signature.content]',
    async (template) => {
      const { id, secret, timestamp, signature, body } = await parts({ 'signature.content': template });
      const content = template
        .replace('{id}', id)
        .replace('{timestamp}', timestamp)
        .replace('{body}', () => body);
      expect(signature).toBe(`v1=${createHmac('sha256', secret).update(content).digest('hex')}`);
    },
  );

  it.each([
    ['sha256', 'utf8'],
    ['sha512', 'utf8'],
    ['sha1', 'base64'],
  ])('a delivery is signed with %s and the secret as %s [signature.algorithm]', async (hash, form) => {
    const { secret, timestamp, signature, body } = await parts({
      'signature.algorithm': { hash, key: form },
    });
    const key = form === 'utf8' ? secret : Buffer.from(secret.slice('whsec_'.length), 'base64');
    expect(signature).toBe(`v1=${createHmac(hash, key).update(`${timestamp}.${body}`).digest('hex')}`);
  });

  it.each([
    ['v1=<hex>', 'v1=', 'hex', ','],
    ['<hex>', '', 'hex', ','],
    ['<base64>', '', 'base64', ','],
    ['<hash>=<hex>', 'sha256=', 'hex', ','],
    ['v1,<base64>', 'v1,', 'base64', ' '],
  ] as const)(
    'a delivery carries a signature in the form %s, and two signatures while the secret is rotated [signature.header]',
    async (grammar, prefix, encoding, separator) => {
      const { receiver, webhook, deliver, control } = await startDeliverySetup(
        {},
        { overrides: { 'signature.header': grammar } },
      );
      await deliver();
      const rotated = await control.rotateWebhookSecret({ id: webhook.id });
      await deliver();
      const secrets = [[webhook.secret], [rotated.secret, webhook.secret]];
      for (const [index, request] of receiver.requests.entries()) {
        const content = `${header(request, 'service-timestamp')}.${request.body}`;
        const signatures = secrets[index]?.map(
          (secret) => prefix + createHmac('sha256', secret).update(content).digest(encoding),
        );
        expect(header(request, 'service-signature')).toBe(signatures?.join(separator));
      }
    },
  );
});
