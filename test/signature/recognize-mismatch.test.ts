import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type SchemeName, schemeNames, schemes } from '../../src/signature/schemes.ts';
import { verify, verifyMessage } from '../../src/signature/verify.ts';
import type { NamedSecret, VerifyInput } from '../../src/signature/verify-input.ts';
import { body, now, type ReceivedDelivery, received, secret } from './received-delivery.ts';

describe('another scheme', () => {
  // The signatures of both are the same.
  const named = schemeNames.filter((name) => name !== 'svix');
  const pairs = named.flatMap((signed) =>
    named.filter((name) => name !== signed).map((verified): [SchemeName, SchemeName] => [signed, verified]),
  );

  it.each(pairs)('another scheme is recognized: signed as %s, verified as %s', (signed, verified) => {
    const result = verify(received({ scheme: verified }, { scheme: signed, secrets: [secret] }));
    expect(result).toMatchObject({ reason: 'other_scheme', scheme: verified });
    expect(result.detail).toBe(
      `The signature is valid for the scheme ${signed}, but it was verified as ${verified}.`,
    );
  });

  it('another scheme is recognized when a custom scheme was verified', () => {
    const scheme = { ...schemes.svc, name: 'ours', content: '{timestamp}:{body}' };
    expect(verify(received({ scheme }))).toMatchObject({ reason: 'other_scheme', scheme: 'ours' });
  });
});

describe('several secrets', () => {
  it.each<[string, VerifyInput]>([
    ['other_scheme', received({ scheme: 'slack' })],
    ['timestamp_changed', received({ timestamp: '1795215960' })],
    ['body_changed', received({ payload: `${body}\n` })],
    ['wrong_secret', received({ secret: `${secret} ` })],
    ['api_key_as_secret', received({ secret: 'svc_test_4f7a' })],
  ])('the reason %s is found with any of several secrets', (reason, input) => {
    const secrets = [input.secret ?? []].flat();
    for (const secret of [
      ['whsec_other', ...secrets],
      [...secrets, 'whsec_other'],
    ]) {
      expect(verify({ ...input, secret }).reason).toBe(reason);
    }
  });

  it('a signature that was made with an empty key is explained by an empty secret, and not by another secret or scheme', () => {
    const sign = (content: string, encoding: 'hex' | 'base64') =>
      createHmac('sha256', '').update(content).digest(encoding);
    const hex = `v1=${sign(`2026-11-20T23:06:00Z.${body}`, 'hex')}`;
    const base64 = `v1,${sign(`del_1.2026-11-20T23:06:00Z.${body}`, 'base64')}`;
    expect(verify(received({ secret: 'whsec_', signature: hex })).detail).toContain(
      'if the secret was empty',
    );
    expect(verify(received({ secret: 'whsec_', signature: base64 })).reason).toBe('header_malformed');
  });
});

describe('a custom scheme', () => {
  const acme = {
    ...schemes.github,
    name: 'acme',
    header: { ...schemes.github.header, prefix: 'acme=' },
    headers: { ...schemes.github.headers, signature: 'Acme-Signature' },
  };

  it('a custom scheme is recognized when it is one of otherSchemes', () => {
    const signature = received({}, { scheme: 'github' }).signature?.replace('sha256=', 'acme=');
    const input = received({ signature, otherSchemes: [acme] });
    expect(verify(input)).toMatchObject({
      reason: 'other_scheme',
      detail: 'The signature is valid for the scheme acme, but it was verified as svc.',
    });
    expect(verify({ ...input, otherSchemes: [] }).reason).toBe('header_malformed');
  });

  it('a custom scheme is recognized by its header', () => {
    const headers = new Headers({ 'Acme-Signature': 'acme=00' });
    const input = { payload: body, headers, secret, now, otherSchemes: [acme] };
    expect(verifyMessage(input)).toMatchObject({
      reason: 'other_scheme',
      remedy: 'Verify with the scheme acme, or configure the sender to sign with svc.',
    });
  });
});

describe('a wrong secret', () => {
  it.each(['svc_test_4f7a', 'svc_live_4f7a'])(
    'an API key is recognized as a wrong secret: %s [§5.7]',
    (apiKey) => {
      const { reason, detail } = verify(received({ secret: apiKey }));
      expect(reason).toBe('api_key_as_secret');
      expect(detail).toContain(`starts with ${apiKey.slice(0, 9)},`);
      expect(detail).not.toContain(apiKey);
    },
  );

  it('a wrong secret is recognized when another known secret matches', () => {
    const otherSecrets = [
      { name: 'the secret of wh_1', secret: 'whsec_other' },
      { name: 'the secret of wh_2', secret },
    ];
    expect(verify(received({ secret: 'whsec_wrong', otherSecrets }))).toMatchObject({
      reason: 'wrong_secret',
      detail: 'The signature does not match. It would match if the secret was the secret of wh_2.',
    });
  });

  it('other secrets without a name or a usable secret are ignored', () => {
    const otherSecrets = [
      { name: 7, secret },
      { secret },
      { name: 'the secret of wh_1', secret: 7 },
      { name: 'the secret of wh_1', secret: '' },
      null,
      secret,
    ] as unknown as NamedSecret[];
    expect(verify(received({ secret: 'whsec_wrong', otherSecrets })).reason).toBe('signature_mismatch');
  });

  it.each([
    ['the given one without the whitespace or quotes around it', `${secret}\n`],
    ['the given one without the whitespace or quotes around it', `"${secret}"`],
    ['the given one without the whitespace or quotes around it', `'${secret}' `],
    ['the given one with the prefix whsec_', secret.replace('whsec_', '')],
    ['the given one without the prefix whsec_', `whsec_${secret}`],
  ])('a wrong secret is recognized when the correct one is %s: %j', (right, wrong) => {
    expect(verify(received({ secret: wrong }))).toMatchObject({
      reason: 'wrong_secret',
      detail: `The signature does not match. It would match if the secret was ${right}.`,
    });
  });
});

it.each(['1795215960', '2026-11-20T23:06:00.000Z', '2026-11-21T00:06:00+01:00'])(
  'a converted timestamp is recognized: %s',
  (timestamp) => {
    expect(verify(received({ timestamp }))).toMatchObject({
      reason: 'timestamp_changed',
      detail: `The signature does not match. It would match if the timestamp was in ISO 8601 without milliseconds (2026-11-20T23:06:00Z), but its header is ${timestamp}.`,
    });
  },
);

describe('a changed body', () => {
  const json = 'its JSON was parsed and serialized again';
  const sameJson = 'its JSON is the same, written in another way: ';
  const value = JSON.parse(body);
  const plain = JSON.stringify({ a: 'x<y/z', é: ['"', '\\', 1] });
  const python = '{"a": "x<y/z", "\\u00e9": ["\\"", "\\\\", 1]}';
  const php = '{"a":"x<y\\/z","\\u00e9":["\\"","\\\\",1]}';
  const go = '{"a":"x\\u003cy/z","é":["\\"","\\\\",1]}';

  it.each([
    ['indented, with unchanged numbers', body, body.replaceAll(',', ',\n '), sameJson],
    ['spaced in Python', body, body.replaceAll(/([,:])(?=["{])/g, '$1 '), sameJson],
    ['indented by JavaScript', plain, JSON.stringify(JSON.parse(plain), null, 2), json],
    ['spaced by the sender', python, plain, json],
    ['escaped by a PHP sender', php, plain, json],
    ['escaped by a Go sender', go, plain, json],
    ['indented by the sender', JSON.stringify(value, null, 4), JSON.stringify(value), json],
    ['escaped by the receiver', plain, python, json],
    [
      'written as a JSON string',
      body,
      JSON.stringify(body),
      'it was serialized as a JSON string, in quotes and with escapes',
    ],
    ['in base64', body, Buffer.from(body).toString('base64'), 'it was encoded in base64'],
    ['with LF at its end', body, `${body}\n`, 'a line ending was added at its end'],
    ['with CRLF at its end', body, `${body}\r\n`, 'a line ending was added at its end'],
    ['trimmed', `${body}\n`, body, 'the line ending at its end was removed'],
    ['padded', body, `  ${body}\n`, sameJson],
    ['with LF for CRLF', 'a\r\nb', 'a\nb', 'its line endings were changed from CRLF to LF'],
    ['with CRLF for LF', 'a\nb', 'a\r\nb', 'its line endings were changed from LF to CRLF'],
    ['with a byte order mark', body, `\uFEFF${body}`, 'a byte order mark was added'],
    ['without its byte order mark', `\uFEFF${body}`, body, 'its byte order mark was removed'],
    ['composed', 'e\u0301', '\u00e9', 'its Unicode was normalized'],
    ['decomposed', '\u00e9', 'e\u0301', 'its Unicode was normalized'],
    ['read as Latin-1', body, Buffer.from(body).toString('latin1'), 'its UTF-8 was read as Latin-1'],
    ['sent in Latin-1', 'Grüße', Buffer.from('Grüße', 'latin1'), 'it was converted from UTF-8 to Latin-1'],
  ])('a changed body is recognized: %s [§6.1]', (_, signed, receivedBody, change) => {
    const { reason, detail } = verify(received({ payload: receivedBody }, { payload: signed }));
    expect([reason, detail]).toEqual(['body_changed', expect.stringContaining(`after signing: ${change}`)]);
    expect(detail).toMatchSnapshot();
  });

  it('a body whose fields the sender has sorted is recognized', () => {
    const payload = '{"b":{"c":[{"e":2,"d":1}]},"a":1.50}';
    const { reason, detail } = verify(
      received({ payload }, { payload: '{"a":1.50,"b":{"c":[{"d":1,"e":2}]}}' }),
    );
    expect([reason, detail]).toEqual([
      'body_changed',
      'The signature does not match. It would match if the body was changed (its JSON was parsed and serialized again, as a library that keeps numbers and escapes with sorted fields does, still 36 bytes).',
    ]);
  });

  it.each<[string, Partial<ReceivedDelivery>, string]>([
    [
      'decompressed',
      { payload: body, contentEncoding: 'gzip' },
      'Content-Encoding is "gzip", but the given body is not compressed.',
    ],
    [
      'decompressed, with a header in other letters',
      { payload: body, contentEncoding: ' GZIP ' },
      'Content-Encoding is "gzip", but the given body is not compressed.',
    ],
    ['compressed', { payload: gzipSync(body) }, 'the given body is compressed with gzip'],
    ['an object as text', { payload: '[object Object]' }, 'The given body is the text [object Object]'],
    ['bytes that are not text', { payload: '\uFFFD{}' }, 'contains U+FFFD: bytes were lost'],
  ])('a changed body is recognized by its content: %s [§6.1]', (_, changes, detail) => {
    const result = verify(received({ ...changes }, { payload: '{"a":"b"}' }));
    expect(result).toMatchObject({ reason: 'body_changed', detail: expect.stringContaining(detail) });
  });

  it.each<[string, Partial<ReceivedDelivery>]>([
    ['identity', { payload: body, contentEncoding: 'identity' }],
    ['no encoding', { payload: body }],
    ['gzip, and a body that is not JSON', { payload: 'text', contentEncoding: 'gzip' }],
    ['gzip, and compressed bytes', { payload: gzipSync(body), contentEncoding: 'gzip' }],
  ])('a body is not reported as decompressed or compressed with the Content-Encoding %s', (_, changes) => {
    expect(verify(received(changes, { payload: 'other' })).reason).toBe('signature_mismatch');
  });

  it('a change is found in a body of up to 64 KiB', () => {
    const signed = 'é'.repeat(32 * 1024).slice(1);
    const reasonFor = (ending: string, payload: string) =>
      verify(received({ payload: payload + ending }, { payload })).reason;
    expect(reasonFor('\r\n', signed)).toBe('body_changed');
    expect(reasonFor('\r\n', `${signed}a`)).toBe('signature_mismatch');
  });

  it('a compressed body is not reported as changed if the compressed bytes were signed', () => {
    const payload = gzipSync(body);
    const genuine = received({ contentEncoding: 'gzip' }, { payload });
    expect(verify(genuine)).toMatchObject({ ok: true });
    expect(verify({ ...genuine, secret: 'other' }).reason).toBe('signature_mismatch');
  });

  it.each([
    [
      'different content',
      body.replace('10.50', '10.60'),
      'from byte 67 on, "50,\\"to\\":\\"Grüße" became "60,\\"to\\":\\"Grüße"',
    ],
    ['a truncated body', body.slice(0, 30), 'it was truncated after byte 30'],
    ['added bytes', `${body}, more`, 'bytes were added after byte 94'],
  ])('a changed body is compared with the sent body, if it is known: %s', (_, payload, change) => {
    const result = verify(received({ payload, sentBody: body }));
    expect(result).toMatchObject({ reason: 'body_changed' });
    expect(result.detail).toContain(`The body was changed after signing: ${change} (94 bytes signed,`);
  });

  it('an unchanged body is reported as unchanged if the sent body is known', () => {
    const result = verify(received({ secret: 'other', sentBody: Buffer.from(body) }));
    expect(result).toMatchObject({ reason: 'wrong_secret' });
    expect(result.detail).toContain('the body is unchanged');
  });

  it('a body that differs from the sent body is not reported as unchanged', () => {
    const result = verify(received({ payload: `${body}, more`, secret: 'other', sentBody: body }));
    expect(result).toMatchObject({ reason: 'signature_mismatch' });
  });

  it('a signature of another timestamp is explained by the secret or the headers if the sent body is known', () => {
    const { detail, remedy } = verify(received({ timestamp: '2026-11-20T23:07:00Z', sentBody: body }));
    expect(detail).toContain('made with another secret or for other headers, or is forged');
    expect(remedy).toContain('pass the headers as they arrived');
  });

  it.each<[SchemeName, string]>([
    ['svc', 'the body or the timestamp in Service-Timestamp was changed'],
    ['stripe', 'the body or the timestamp in Stripe-Signature was changed'],
    ['standard-webhooks', 'the body or the timestamp in Webhook-Timestamp or Webhook-Id was changed'],
    ['github', 'the body was changed'],
  ])('a mismatch names what the scheme %s signs: the secret is wrong, or %s', (name, changes) => {
    const genuine = received({}, { scheme: name });
    const { detail } = verify({ ...genuine, scheme: name, payload: '{"other":1}' });
    expect(detail).toMatch(/^The signature does not match the given secret and body \(11 bytes\): /);
    expect(detail).toContain(`: the secret is wrong, or ${changes} after signing.`);
  });

  it.each([
    ['different content', body.replace('10.50', '10.60')],
    ['JSON that is nested too deep to serialize', '['.repeat(20_000) + ']'.repeat(20_000)],
    ['a body that is too large to compare', `${' '.repeat(64 * 1024)}${body}`],
  ])('a changed body is not reported for %s', (_, payload) => {
    expect(verify(received({ payload }))).toMatchObject({ reason: 'signature_mismatch' });
  });
});
