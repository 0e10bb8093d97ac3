/** Compares our signatures with those of the packages that the owners of the schemes publish. */
import * as octokit from '@octokit/webhooks-methods';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createWebhookSecret } from '../../src/domain/secret.ts';
import { schemes } from '../../src/signature/schemes.ts';
import { signDelivery } from '../../src/signature/sign.ts';
import { verify } from '../../src/signature/verify.ts';
import { now, received } from './received-delivery.ts';

const seconds = now / 1000;
const id = 'del_1';
const stripe = new Stripe('sk_test_unused').webhooks;

const anyText = fc.string({ unit: 'binary', minLength: 1, maxLength: 300 });
const payloads = fc.oneof(fc.json(), anyText);
/** Stripe's package treats a blank secret as missing. */
const secrets = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 80 })
  .filter((text) => text.trim() !== '');
const base64Secrets = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((key) => `whsec_${Buffer.from(key).toString('base64')}`);

function headersOf(scheme: keyof typeof schemes, body: string, secretsOfEndpoint: readonly string[]) {
  return signDelivery({ scheme: schemes[scheme], secrets: secretsOfEndpoint, id, timestampMs: now, body })
    .headers;
}

/** @throws when the signature is invalid. */
function stripeVerifies(payload: string, header: string, secret: string): boolean | undefined {
  return stripe.signature?.verifyHeader(payload, header, secret, 300, undefined, now);
}

describe('standardwebhooks', () => {
  // The package uses the system time.
  beforeAll(() => void vi.useFakeTimers({ now, toFake: ['Date'] }));
  afterAll(() => void vi.useRealTimers());

  it('standardwebhooks accepts our signature under each secret of a rotation', () => {
    fc.assert(
      fc.property(payloads, base64Secrets, base64Secrets, (payload, current, previous) => {
        const headers = headersOf('standard-webhooks', payload, [current, previous]);
        for (const secret of [current, previous]) {
          expect(() => new Webhook(secret).verify(payload, headers, { jsonParse: false })).not.toThrow();
        }
      }),
    );
  });

  it('standardwebhooks accepts our signature under a secret that we generate for it', () => {
    const secret = createWebhookSecret(schemes['standard-webhooks'].key);
    const headers = headersOf('standard-webhooks', '{}', [secret]);
    expect(new Webhook(secret).verify('{}', headers)).toEqual({});
  });

  it('our verification accepts the signature of standardwebhooks', () => {
    fc.assert(
      fc.property(payloads, base64Secrets, (payload, secret) => {
        const signature = new Webhook(secret).sign(id, new Date(now), payload);
        const input = { payload, secret, signature, id, timestamp: String(seconds), now };
        expect(verify({ ...input, scheme: 'standard-webhooks' })).toMatchObject({ ok: true });
      }),
    );
  });
});

describe('stripe', () => {
  it('stripe accepts our signature under each secret of a rotation', () => {
    fc.assert(
      fc.property(payloads, secrets, secrets, (payload, current, previous) => {
        const header = headersOf('stripe', payload, [current, previous])['Stripe-Signature'] ?? '';
        for (const secret of [current, previous]) {
          expect(stripeVerifies(payload, header, secret)).toBe(true);
        }
      }),
    );
  });

  it('our verification accepts the signature of stripe', () => {
    fc.assert(
      fc.property(payloads, secrets, (payload, secret) => {
        const signature = stripe.generateTestHeaderString({ payload, secret, timestamp: seconds });
        expect(verify({ payload, secret, signature, now, scheme: 'stripe' })).toMatchObject({ ok: true });
      }),
    );
  });
});

describe('@octokit/webhooks-methods', () => {
  it('@octokit/webhooks-methods accepts our signature', async () => {
    await fc.assert(
      fc.asyncProperty(payloads, secrets, async (payload, secret) => {
        const signature = headersOf('github', payload, [secret])['X-Hub-Signature-256'] ?? '';
        expect(await octokit.verify(secret, payload, signature)).toBe(true);
      }),
    );
  });

  it('our verification accepts the signature of @octokit/webhooks-methods', async () => {
    await fc.assert(
      fc.asyncProperty(payloads, secrets, async (payload, secret) => {
        const signature = await octokit.sign(secret, payload);
        expect(verify({ payload, secret, signature, now, scheme: 'github' })).toMatchObject({ ok: true });
      }),
    );
  });
});

describe('all packages', () => {
  it('every package refuses the signature of another body, as we do', async () => {
    const [secret] = fc.sample(base64Secrets, 1) as [string];
    const forged = (scheme: keyof typeof schemes) => headersOf(scheme, '{"amount":1}', [secret]);
    const payload = '{"amount":2}';
    expect(() => new Webhook(secret).verify(payload, forged('standard-webhooks'))).toThrow();
    const stripeHeader = forged('stripe')['Stripe-Signature'] ?? '';
    expect(() => stripeVerifies(payload, stripeHeader, secret)).toThrow();
    const githubHeader = forged('github')['X-Hub-Signature-256'] ?? '';
    expect(await octokit.verify(secret, payload, githubHeader)).toBe(false);
    for (const scheme of ['standard-webhooks', 'stripe', 'github'] as const) {
      const signed = { scheme, payload: '{"amount":1}', secrets: [secret] };
      expect(verify(received({ payload, secret }, signed))).toMatchObject({ ok: false });
    }
  });
});
