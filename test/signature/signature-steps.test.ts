import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { schemes } from '../../src/signature/schemes.ts';
import { listSignatureSteps } from '../../src/signature/signature-steps.ts';

const message = { id: 'del_1', timestamp: '2026-11-20T23:06:00Z', body: '{"city":"Köln"}' };
const sha256 = createHash('sha256').update(message.body).digest('hex');

describe('listSignatureSteps', () => {
  it('the steps of a signature show each value that a receiver computes', () => {
    const secret = 'whsec_0123456789abcdef0123';
    const content = `${message.timestamp}.${message.body}`;
    expect(listSignatureSteps(schemes.svc, secret, message, 'v1=abc')).toEqual([
      {
        step: 'Read the timestamp from Service-Timestamp, without converting it',
        value: '2026-11-20T23:06:00Z',
      },
      { step: 'Read the raw request body, before any parser', value: `16 bytes, SHA-256 ${sha256}` },
      { step: 'Build the signed content {timestamp}.{body}', value: content },
      { step: 'Use the text of the whole secret as the key', value: 'whsec_…0123' },
      {
        step: 'Compute the HMAC with sha256, in hex, after v1=',
        value: `v1=${createHmac('sha256', secret).update(content).digest('hex')}`,
      },
      { step: 'Compare it in constant time with each signature in Service-Signature', value: 'v1=abc' },
    ]);
  });

  it.each([
    ['stripe' as const, 'Read the timestamp from Stripe-Signature, without converting it'],
    ['github' as const, 'Read the raw request body, before any parser'],
  ])('the steps of the scheme %s begin with "%s"', (name, first) => {
    expect(listSignatureSteps(schemes[name], 'key', message, '')[0]?.step).toBe(first);
  });

  it('the steps say how the key is decoded from the secret', () => {
    const steps = listSignatureSteps(schemes['standard-webhooks'], 'whsec_a2V5', message, '');
    expect(steps.map(({ step }) => step)).toContain(
      'Use the base64-decoded secret without whsec_ as the key',
    );
  });

  it('the steps show at most 200 characters of the signed content', () => {
    const show = (body: string) =>
      listSignatureSteps(schemes.github, 'key', { ...message, body }, '')[1]?.value;
    expect(show('x'.repeat(200))).toBe('x'.repeat(200));
    expect(show(`${'x'.repeat(200)}y`)).toBe(`${'x'.repeat(200)}…`);
  });
});
