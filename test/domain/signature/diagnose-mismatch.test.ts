import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type SchemeName, schemeNames, schemes } from '../../../src/domain/signature/schemes.ts';
import { verify, verifyMessage } from '../../../src/domain/signature/verify.ts';
import type { VerifyInput } from '../../../src/domain/signature/verify-input.ts';
import { body, now, received, secret } from './received-delivery.ts';

describe('another scheme', () => {
  const pairs = schemeNames.flatMap((signed) =>
    schemeNames
      .filter((name) => name !== signed)
      .map((verified): [SchemeName, SchemeName] => [signed, verified]),
  );

  it.each(pairs)('is recognised: signed as %s, verified as %s', (signed, verified) => {
    const result = verify(received({ scheme: verified }, { scheme: signed, secrets: [secret] }));
    expect(result).toMatchObject({ reason: 'other_scheme', scheme: verified });
    expect(result.detail).toBe(
      `The signature is valid for the scheme ${signed}, but it was verified as ${verified}.`,
    );
  });

  it('is recognised when a scheme of your own differs from it', () => {
    const scheme = { ...schemes.svc, name: 'ours', content: '{timestamp}:{body}' };
    expect(verify(received({ scheme }))).toMatchObject({ reason: 'other_scheme', scheme: 'ours' });
  });
});

describe('a scheme of your own', () => {
  const acme = {
    ...schemes.github,
    name: 'acme',
    header: { ...schemes.github.header, prefix: 'acme=' },
    headers: { ...schemes.github.headers, signature: 'Acme-Signature' },
  };

  it('is recognised where it is named beside the one that was verified', () => {
    const signature = received({}, { scheme: 'github' }).signature?.replace('sha256=', 'acme=');
    const input = received({ signature, otherSchemes: [acme] });
    expect(verify(input)).toMatchObject({
      reason: 'other_scheme',
      detail: 'The signature is valid for the scheme acme, but it was verified as svc.',
    });
    expect(verify({ ...input, otherSchemes: [] }).reason).toBe('header_malformed');
  });

  it('is recognised by its header', () => {
    const headers = new Headers({ 'Acme-Signature': 'acme=00' });
    const input = { payload: body, headers, secret, now, otherSchemes: [acme] };
    expect(verifyMessage(input)).toMatchObject({
      reason: 'other_scheme',
      remedy: 'Verify with the scheme acme, or have the sender sign with svc.',
    });
  });
});

describe('a wrong secret', () => {
  it.each(['svc_test_4f7a', 'svc_live_4f7a'])('is recognised as an API key: %s [§5.7]', (apiKey) => {
    const { reason, detail } = verify(received({ secret: apiKey }));
    expect(reason).toBe('api_key_as_secret');
    expect(detail).toContain(`starts with ${apiKey.slice(0, 9)},`);
    expect(detail).not.toContain(apiKey);
  });

  it('is recognised when another known secret fits', () => {
    const otherSecrets = [
      { name: 'the secret of wh_1', secret: 'whsec_other' },
      { name: 'the secret of wh_2', secret },
    ];
    expect(verify(received({ secret: 'whsec_wrong', otherSecrets }))).toMatchObject({
      reason: 'wrong_secret',
      detail: 'The signature does not match the given secret, but it matches the secret of wh_2.',
    });
  });

  it.each([
    ['the same secret without the whitespace or quotes around it', `${secret}\n`],
    ['the same secret without the whitespace or quotes around it', `"${secret}"`],
    ['the same secret without the whitespace or quotes around it', `'${secret}' `],
    ['the same secret with the prefix whsec_', secret.replace('whsec_', '')],
    ['the same secret without the prefix whsec_', `whsec_${secret}`],
  ])('is recognised when the right one is %s: %j', (right, wrong) => {
    expect(verify(received({ secret: wrong }))).toMatchObject({
      reason: 'wrong_secret',
      detail: `The signature does not match the given secret, but it matches ${right}.`,
    });
  });
});

describe('a converted timestamp', () => {
  it.each(['1795215960', '2026-11-20T23:06:00.000Z', '2026-11-21T00:06:00+01:00'])(
    'is recognised: %s',
    (timestamp) => {
      expect(verify(received({ timestamp }))).toMatchObject({
        reason: 'timestamp_changed',
        detail: `The signature matches the timestamp in the form 2026-11-20T23:06:00Z, but "${timestamp}" was given.`,
      });
    },
  );
});

describe('a changed body', () => {
  const json = 'its JSON was parsed and serialized again';
  const value = JSON.parse(body);
  const plain = JSON.stringify({ a: 'x<y/z', é: ['"', '\\', 1] });
  const python = '{"a": "x<y/z", "\\u00e9": ["\\"", "\\\\", 1]}';
  const php = '{"a":"x<y\\/z","\\u00e9":["\\"","\\\\",1]}';
  const go = '{"a":"x\\u003cy/z","é":["\\"","\\\\",1]}';

  const envelope =
    '{"type":"a.b","workspace_id":"ws_1","created_at":"t","data":{"id":"evt_1","workspace_id":"ws_1","type":"a.b","payload":{"n":9007199254740993},"created_at":"t"}}';
  const sortedEnvelope =
    '{"created_at":"t","data":{"created_at":"t","id":"evt_1","payload":{"n":9007199254740993},"type":"a.b","workspace_id":"ws_1"},"type":"a.b","workspace_id":"ws_1"}';

  it.each([
    ['indented, its numbers kept', body, body.replaceAll(',', ',\n '), json],
    ['spaced in Python', body, body.replaceAll(/([,:])(?=["{])/g, '$1 '), json],
    ['indented by JavaScript', plain, JSON.stringify(JSON.parse(plain), null, 2), json],
    ['spaced by the sender', python, plain, json],
    ['escaped by a PHP sender', php, plain, json],
    ['escaped by a Go sender', go, plain, json],
    ['indented by the sender', JSON.stringify(value, null, 4), JSON.stringify(value), json],
    ['indented by the sender and ended', `${JSON.stringify(value, null, 2)}\n`, JSON.stringify(value), json],
    ['escaped by the receiver', plain, python, json],
    ['written as a JSON string', body, JSON.stringify(body), json],
    [
      'sorted by the sender',
      '{"a":1.50,"b":{"c":[{"d":1,"e":2}]}}',
      '{"b":{"c":[{"e":2,"d":1}]},"a":1.50}',
      json,
    ],
    ['sorted by the receiver', envelope, sortedEnvelope, json],
    [
      'sorted and spaced by the receiver',
      envelope,
      sortedEnvelope.replaceAll('":', '": ').replaceAll(',"', ', "'),
      json,
    ],
    ['in base64', body, Buffer.from(body).toString('base64'), 'it was encoded in base64'],
    ['ended', body, `${body}\n`, 'a line ending was added at its end'],
    ['ended in CRLF', body, `${body}\r\n`, 'a line ending was added at its end'],
    ['trimmed', `${body}\n`, body, 'the line ending at its end was removed'],
    ['padded', body, `  ${body}\n`, 'whitespace was added around it'],
    ['with LF for CRLF', 'a\r\nb', 'a\nb', 'its line endings were changed from CRLF to LF'],
    ['with CRLF for LF', 'a\nb', 'a\r\nb', 'its line endings were changed from LF to CRLF'],
    ['with a mark', body, `\uFEFF${body}`, 'a byte order mark was added'],
    ['without its mark', `\uFEFF${body}`, body, 'its byte order mark was removed'],
    ['composed', 'e\u0301', '\u00e9', 'its Unicode was normalized'],
    ['decomposed', '\u00e9', 'e\u0301', 'its Unicode was normalized'],
    ['read as Latin-1', body, Buffer.from(body).toString('latin1'), 'its UTF-8 was read as Latin-1'],
    ['sent in Latin-1', 'Grüße', Buffer.from('Grüße', 'latin1'), 'it was converted from UTF-8 to Latin-1'],
    ['sent in UTF-16', body, Buffer.from(body, 'utf16le'), 'it was converted from UTF-8 to UTF-16'],
  ])('is recognised: %s [§6.1]', (_, signed, given, change) => {
    const sizes = `(${Buffer.byteLength(signed)} bytes were signed, ${Buffer.byteLength(given)} were given)`;
    expect(verify(received({ payload: given }, { payload: signed }))).toMatchObject({
      reason: 'body_changed',
      detail: `The body was changed after signing: ${change} ${sizes}.`,
    });
  });

  it('is recognised in bytes as in text', () => {
    const payload = Buffer.from(JSON.stringify(value, null, 2));
    expect(verify(received({ payload }, { payload: JSON.stringify(value) }))).toMatchObject({
      reason: 'body_changed',
    });
  });

  it.each<[string, Partial<VerifyInput>, string]>([
    [
      'decompressed',
      { payload: body, contentEncoding: 'gzip' },
      'Content-Encoding is "gzip", but the given body is not compressed.',
    ],
    ['compressed', { payload: gzipSync(body) }, 'the given body is compressed with gzip'],
    ['an object as text', { payload: '[object Object]' }, 'The given body is the text [object Object]'],
    ['bytes that are no text', { payload: '\uFFFD{}' }, 'contains U+FFFD: bytes were lost'],
  ])('is told by what it looks like: %s [§6.1]', (_, changes, telltale) => {
    const result = verify(received({ ...changes }, { payload: '{"a":"b"}' }));
    expect(result).toMatchObject({ reason: 'body_changed', detail: expect.stringContaining(telltale) });
  });

  it('is not blamed where it is compressed as it was signed', () => {
    const payload = gzipSync(body);
    const genuine = received({ contentEncoding: 'gzip' }, { payload });
    expect(verify(genuine)).toMatchObject({ ok: true });
    expect(verify({ ...genuine, secret: 'other' }).reason).toBe('signature_mismatch');
  });

  it.each([
    [
      'other content',
      body.replace('10.50', '10.60'),
      'from byte 67 on, "50,\\"to\\":\\"Grüße" became "60,\\"to\\":\\"Grüße"',
    ],
    ['a cut', body.slice(0, 30), 'it was truncated after byte 30'],
    ['more', `${body}, more`, 'bytes were added after byte 94'],
  ])('is shown where the body that was sent is known: %s', (_, payload, change) => {
    const result = verify(received({ payload, sentBody: body }));
    expect(result).toMatchObject({ reason: 'body_changed' });
    expect(result.detail).toContain(`The body was changed after signing: ${change} (94 bytes were signed,`);
  });

  it('is ruled out where it is the body that was sent', () => {
    const result = verify(received({ secret: 'other', sentBody: Buffer.from(body) }));
    expect(result).toMatchObject({ reason: 'wrong_secret' });
    expect(result.detail).toContain('the body is unchanged');
  });

  it.each([
    ['another content', body.replace('10.50', '10.60')],
    ['nesting that JSON cannot be written in', '['.repeat(20_000) + ']'.repeat(20_000)],
    ['more than is worth trying', `${' '.repeat(64 * 1024)}${body}`],
  ])('is not guessed at: %s', (_, payload) => {
    expect(verify(received({ payload }))).toMatchObject({ reason: 'signature_mismatch' });
  });
});
