import { describe, expect, it } from 'vitest';
import published from '../../fixtures/signatures/published.json' with { type: 'json' };
import golden from '../../fixtures/signatures/svc.json' with { type: 'json' };
import { type SchemeName, schemes } from '../../src/signature/schemes.ts';
import {
  decodeSecret,
  isUsableSecret,
  listSignedParts,
  matchesAnyDigest,
  requireId,
  requireSecrets,
  signDelivery,
} from '../../src/signature/sign.ts';

const delivery = {
  scheme: schemes.svc,
  secrets: ['whsec_a'],
  id: 'del_1',
  timestampMs: Date.parse('2026-11-20T23:06:00.999Z'),
  body: '{"data":{}}',
};

describe('signDelivery', () => {
  it.each(golden.vectors)(
    'signDelivery signs $name as another implementation does [signature.content, signature.algorithm]',
    ({ secrets, timestamp, body_base64, signature }) => {
      const body = Buffer.from(body_base64, 'base64');
      const signed = signDelivery({ ...delivery, secrets, body, timestampMs: Date.parse(timestamp) });
      expect(signed.headers['Service-Signature']).toBe(signature);
    },
  );

  it.each(published.vectors)(
    'signDelivery signs the published example of $scheme',
    ({ scheme, secret, ...vector }) => {
      const signed = signDelivery({
        scheme: schemes[scheme as SchemeName],
        secrets: [secret],
        id: vector.id ?? '',
        timestampMs: Number(vector.timestamp) * 1000,
        body: vector.body,
      });
      expect(Object.values(signed.headers)).toContain(vector.signature);
    },
  );

  it('signDelivery returns signature, timestamp and id in separate headers [§6.headers.signature, §6.headers.timestamp, §6.headers.delivery-id]', () => {
    expect(signDelivery(delivery).headers).toEqual({
      'Service-Signature': expect.stringMatching(/^v1=[0-9a-f]{64}$/),
      'Service-Timestamp': '2026-11-20T23:06:00Z',
      'Service-Delivery-Id': 'del_1',
    });
  });

  it('the timestamp is in ISO 8601 and whole seconds, rounded down [signature.timestamp]', () => {
    expect(signDelivery(delivery).timestamp).toBe('2026-11-20T23:06:00Z');
  });

  it('the timestamp is in Unix seconds if the scheme says so [signature.timestamp]', () => {
    const scheme = { ...schemes.svc, timestampFormat: 'unix' as const };
    expect(signDelivery({ ...delivery, scheme }).timestamp).toBe('1795215960');
  });

  it('a delivery is signed under each secret of a rotation, the current one first [signature.header]', () => {
    const signature = (...secrets: string[]) =>
      signDelivery({ ...delivery, secrets }).headers['Service-Signature'];
    expect(signature('new', 'old')).toBe(`${signature('new')},${signature('old')}`);
  });

  it('a delivery is only signed under the current secret if the header has one signature', () => {
    const headers = (...secrets: string[]) =>
      signDelivery({ ...delivery, scheme: schemes.github, secrets }).headers;
    expect(headers('new', 'old')).toEqual(headers('new'));
  });

  it('the timestamp is in the signature header if the scheme has it there', () => {
    const { headers } = signDelivery({ ...delivery, scheme: schemes.stripe, secrets: ['new', 'old'] });
    expect(headers).toEqual({
      'Stripe-Signature': expect.stringMatching(/^t=1795215960,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/),
    });
  });

  it('signedContent is what was signed, as text or as bytes', () => {
    const bytes = Buffer.from([0xff, 0x00]);
    const prefix = '2026-11-20T23:06:00Z.';
    expect(signDelivery(delivery).signedContent).toBe(`${prefix}{"data":{}}`);
    expect(signDelivery({ ...delivery, body: bytes }).signedContent).toEqual(
      Buffer.concat([Buffer.from(prefix), bytes]),
    );
  });

  it('placeholders in an id or a body are not replaced', () => {
    const scheme = schemes['standard-webhooks'];
    const secrets = ['whsec_c2VjcmV0'];
    const signed = signDelivery({ ...delivery, scheme, secrets, id: '{body}', body: '{id}{timestamp}' });
    expect(signed.signedContent).toBe('{body}.1795215960.{id}{timestamp}');
  });
});

describe('the key of a signature', () => {
  const hex = { ...schemes.svc, key: { form: 'hex' as const, prefix: 'key_' } };

  it.each(['key_6b6579', '6b6579'])('the key in %s is decoded with and without the prefix', (text) => {
    expect(Buffer.from(decodeSecret(hex, text)).toString()).toBe('key');
  });

  it.each(['key_6b6579', '6b6579'])('the key of a scheme with text keys is %s without the prefix', (text) => {
    const scheme = { ...schemes.svc, key: { form: 'utf8', prefix: 'key_' } } as const;
    expect(decodeSecret(scheme, text)).toBe('6b6579');
    expect(decodeSecret(schemes.svc, text)).toBe(text);
  });

  it.each<[unknown, boolean]>([
    ['key_6b', true],
    ['key_', false],
    ['', false],
    [7, false],
    [null, false],
  ])('the secret %j contains a key: %s', (candidate, isUsable) => {
    expect(isUsableSecret(hex, candidate)).toBe(isUsable);
  });

  it('requireSecrets returns one secret or several as a list', () => {
    expect(requireSecrets(schemes.svc, 'a')).toEqual(['a']);
    expect(requireSecrets(schemes.svc, ['a', 'b'])).toEqual(['a', 'b']);
  });

  it.each<[string, unknown]>([
    ['no secret', undefined],
    ['an empty list', []],
    ['an empty secret', ''],
    ['an empty secret beside a correct one', ['a', '']],
  ])('requireSecrets refuses %s', (_, value) => {
    expect(() => requireSecrets(schemes.svc, value as string)).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        message: 'The secret is missing or empty, or nothing is left after decoding it.',
      }),
    );
  });
});

describe('the ID of a delivery', () => {
  const { svc, stripe } = schemes;
  const signedOnly = { ...stripe, content: '{id}.{body}' };

  it.each([
    ['a scheme that sends it', svc, 'del_1'],
    ['a scheme that signs it', signedOnly, 'del_1'],
    ['a scheme without an ID', stripe, undefined],
  ])('requireId accepts the ID for %s', (_, scheme, id) => {
    expect(requireId(scheme, id)).toBeUndefined();
  });

  it.each([
    [svc, undefined],
    [svc, ''],
    [svc, 7],
    [signedOnly, ''],
  ])('requireId refuses a missing ID (%#)', (scheme, id) => {
    expect(() => requireId(scheme, id)).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        hint: { text: 'Pass the ID of the delivery, such as del_1.' },
      }),
    );
  });
});

it('listSignedParts splits the signed content into literal text and fields of the message', () => {
  const message = { id: 'del_1', timestamp: '1795215960', body: '{"id":"{body}"}' };
  expect(listSignedParts({ ...schemes.slack, content: '{id}:v0:{timestamp}{body}' }, message)).toEqual([
    { part: 'id', text: 'del_1' },
    { part: 'literal', text: ':v0:' },
    { part: 'timestamp', text: '1795215960' },
    { part: 'body', text: '{"id":"{body}"}' },
  ]);
});

it('a digest of another length does not match, and does not hide the correct one', () => {
  const message = { id: 'del_1', timestamp: '', body: 'x' };
  const { headers } = signDelivery({ ...delivery, scheme: schemes.github, body: 'x' });
  const digest = String(headers['X-Hub-Signature-256']).slice('sha256='.length);
  const matches = (digests: string[]) => matchesAnyDigest(schemes.github, 'whsec_a', message, digests);
  expect(matches([digest.slice(1), digest])).toBe(true);
  expect(matches([digest.slice(1), `${digest}0`])).toBe(false);
});
