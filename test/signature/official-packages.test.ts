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
import { now } from './received-delivery.ts';

const timestamp = String(now / 1000);
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

interface OfficialPackage {
  readonly scheme: 'standard-webhooks' | 'stripe' | 'github';
  readonly secrets: fc.Arbitrary<string>;
  /** @throws or returns false when the signature is invalid. */
  readonly verify: (payload: string, headers: Record<string, string>, secret: string) => unknown;
  readonly sign: (payload: string, secret: string) => string | Promise<string>;
}

const packages: Readonly<Record<string, OfficialPackage>> = {
  standardwebhooks: {
    scheme: 'standard-webhooks',
    secrets: base64Secrets,
    verify: (payload, headers, secret) => {
      new Webhook(secret).verify(payload, headers, { jsonParse: false });
      return true;
    },
    sign: (payload, secret) => new Webhook(secret).sign(id, new Date(now), payload),
  },
  stripe: {
    scheme: 'stripe',
    secrets,
    verify: (payload, headers, secret) =>
      stripe.signature?.verifyHeader(payload, headers['Stripe-Signature'] ?? '', secret, 300, undefined, now),
    sign: (payload, secret) =>
      stripe.generateTestHeaderString({ payload, secret, timestamp: Number(timestamp) }),
  },
  '@octokit/webhooks-methods': {
    scheme: 'github',
    secrets,
    verify: (payload, headers, secret) =>
      octokit.verify(secret, payload, headers['X-Hub-Signature-256'] ?? ''),
    sign: (payload, secret) => octokit.sign(secret, payload),
  },
};

const sign = (scheme: OfficialPackage['scheme'], body: string, secretsOfEndpoint: readonly string[]) =>
  signDelivery({ scheme: schemes[scheme], secrets: secretsOfEndpoint, id, timestampMs: now, body }).headers;

describe.each(Object.entries(packages))('the package %s', (name, official) => {
  // The package standardwebhooks uses the system time.
  beforeAll(() => void vi.useFakeTimers({ now, toFake: ['Date'] }));
  afterAll(() => void vi.useRealTimers());
  const { scheme } = official;

  it(`${name} accepts our signature, under each secret of a rotation if the scheme has one, and no other body`, async () => {
    const count = schemes[scheme].header.separator === null ? 1 : 2;
    const rotation = fc.array(official.secrets, { minLength: count, maxLength: count });
    await fc.assert(
      fc.asyncProperty(payloads, rotation, async (payload, current) => {
        const headers = sign(scheme, payload, current);
        for (const secret of current) {
          expect(await official.verify(payload, headers, secret)).toBe(true);
          const forged = (async () => official.verify(`${payload} `, headers, secret))();
          expect(await forged.catch(() => false)).toBe(false);
        }
      }),
    );
  });

  it(`our verification accepts the signature of ${name}`, async () => {
    await fc.assert(
      fc.asyncProperty(payloads, official.secrets, async (payload, secret) => {
        const signature = await official.sign(payload, secret);
        expect(verify({ payload, secret, signature, id, timestamp, now, scheme })).toMatchObject({
          ok: true,
        });
      }),
    );
  });
});

it('standardwebhooks accepts our signature under a secret that we generate for it', () => {
  const secret = createWebhookSecret(schemes['standard-webhooks'].key);
  const signature = sign('standard-webhooks', '{}', [secret])['Webhook-Signature'];
  expect(new Webhook(secret).sign(id, new Date(now), '{}')).toBe(signature);
});
