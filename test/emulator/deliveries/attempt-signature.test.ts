import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { header, startDeliverySetup } from './delivery-setup.ts';

describe('the signature of a delivery', () => {
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
