/** Finds the mistake in a digest that a receiver computed. */
import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { canBeDigest, type DigestInput, diagnoseDigest } from '../../src/signature/diagnose-digest.ts';
import { digestForms } from '../../src/signature/digest-forms.ts';
import { schemes } from '../../src/signature/schemes.ts';

const key = Buffer.from('a key of thirty-two bytes, always');
const secret = `whsec_${key.toString('base64url')}`;
const timestamp = '2026-11-20T23:06:00Z';
const unix = '1795215960';
const body =
  '{"type":"order.shipped","data":{"id":"evt_1","payload":{"name":"Zo\\u00eb","kg":12.50,"url":"a/b"}}}';
const parsed = JSON.parse(body);
const compact = JSON.stringify(parsed);
const content = `${timestamp}.${body}`;

const hmac = (content: string, by: string | Uint8Array = secret, hash = 'sha256') =>
  createHmac(hash, by).update(content);
const hex = (...args: Parameters<typeof hmac>) => `v1=${hmac(...args).digest('hex')}`;
const correct = hmac(content).digest('hex');

function diagnose(computed: string, more: Partial<DigestInput> = {}) {
  return diagnoseDigest({
    ...{ scheme: schemes.svc, computedDigest: computed, secrets: [secret], sentDigests: [correct] },
    otherSecrets: [{ name: 'the secret of wh_2', secret: 'whsec_other' }],
    message: { id: 'del_1', timestamp, body },
    ...more,
  });
}

describe('a digest that a receiver computed', () => {
  it.each<[name: string, computed: string, reason: string, what: string]>([
    ['the timestamp in seconds', hex(`${unix}.${body}`), 'timestamp_changed', `(${unix})`],
    ['a time in ms', hex(`${unix}000.${body}`), 'timestamp_changed', 'milliseconds since 1970'],
    ['a Date printed as ISO 8601', hex(`2026-11-20T23:06:00.000Z.${body}`), 'timestamp_changed', '.000Z'],
    [
      'no dot',
      hex(timestamp + body),
      'content_changed',
      '"{timestamp}{body}" instead of "{timestamp}.{body}"',
    ],
    ['no timestamp', hex(body), 'content_changed', '"{body}"'],
    ['the delivery id in front', hex(`del_1.${timestamp}.${body}`), 'content_changed', '{id}'],
    ['JSON.stringify of the parsed body', hex(`${timestamp}.${compact}`), 'body_changed', 'serialized again'],
    [
      'json.dumps of the parsed body',
      hex(`${timestamp}.${compact.replaceAll(':', ': ').replaceAll(',', ', ').replace('ë', '\\u00eb')}`),
      'body_changed',
      'serialized again',
    ],
    [
      'only data',
      hex(`${timestamp}.${JSON.stringify(parsed.data)}`),
      'body_changed',
      'only its field data was used',
    ],
    ['an empty body', hex(`${timestamp}.`), 'body_changed', 'it was empty'],
    ['[object Object]', hex(`${timestamp}.[object Object]`), 'body_changed', '[object Object]'],
    ['the secret without its prefix', hex(content, secret.slice(6)), 'key_changed', 'without whsec_'],
    ['the decoded secret', hex(content, key), 'key_changed', 'base64-decoded'],
    ['the secret of another endpoint', hex(content, 'whsec_other'), 'wrong_secret', 'of wh_2'],
    ['a secret in quotes', hex(content, `"${secret}"`), 'wrong_secret', 'double quotes'],
    ['an unset variable', hex(content, 'undefined'), 'wrong_secret', 'undefined'],
    ['SHA-1', hex(content, secret, 'sha1'), 'algorithm_changed', 'sha1 instead of sha256'],
    ['base64', `v1=${hmac(content).digest('base64')}`, 'encoding_changed', 'base64 instead of lowercase hex'],
    [
      'base64 without padding',
      hmac(content).digest('base64').replace('=', ''),
      'encoding_changed',
      'base64 without padding',
    ],
    ['base64url', hmac(content).digest('base64url'), 'encoding_changed', 'base64url'],
    [
      'base64url with padding',
      `${hmac(content).digest('base64url')}=`,
      'encoding_changed',
      'base64url with padding',
    ],
    ['upper case', correct.toUpperCase(), 'encoding_changed', 'uppercase hex'],
    [
      'the base64 of the hex text',
      Buffer.from(correct).toString('base64'),
      'encoding_changed',
      'hex and then encoded in base64',
    ],
    ['another prefix', `sha256=${correct}`, 'encoding_changed', 'sha256= instead of v1='],
  ])('a digest with %s is diagnosed', (_, computed, reason, what) => {
    const { remedy, ...diagnosis } = diagnose(computed);
    expect(diagnosis).toEqual({
      ...{ ok: false, reason },
      detail: expect.stringMatching(/^The receiver makes one mistake: .*\.$/s),
    });
    expect(diagnosis.detail).toContain(what);
    expect(remedy).toMatch(/^(?:Use|Sign|Compute|Write|Keep|Trim|Set) .*\.$/);
  });

  it('the mistake in the body says what was changed, and the sizes', () => {
    expect(diagnose(hex(`${timestamp}.${body}\n`)).detail).toBe(
      `The receiver makes one mistake: the body was changed (a line ending was added at its end, ${body.length + 1} bytes instead of ${body.length}).`,
    );
  });

  it('a key in hex is recognized with and without the prefix of secrets', () => {
    const hexKey = key.toString('hex');
    for (const each of [hexKey, `whsec_${hexKey}`]) {
      expect(diagnose(hex(content, key), { secrets: [each] })).toMatchObject({
        reason: 'key_changed',
        detail: 'The receiver makes one mistake: the key was the hex-decoded secret without whsec_.',
      });
    }
  });

  it('a digest with several mistakes is diagnosed with all of them', () => {
    const { detail, reason, remedy } = diagnose(hmac(`${unix}.${compact}`, secret.slice(0)).digest('base64'));
    expect(reason).toBe('body_changed');
    expect(detail).toMatch(/^The receiver makes 3 mistakes: .*serialized again.*; .*seconds.*; .*base64/);
    expect(remedy).toContain('Use the value of the timestamp header');
    expect(remedy).toContain('as they arrived');
  });

  it.each([
    ['with the prefix', `v1=${correct}`, 'in constant time'],
    ['without the prefix', correct, 'compare both with the prefix, or both without it'],
    ['with white space around it', ` v1=${correct}\n`, 'in constant time'],
  ])('a correct digest is accepted %s', (_, computed, advice) => {
    expect(diagnose(computed)).toMatchObject({
      ...{ ok: true, reason: null, remedy: null },
      detail: expect.stringContaining(advice),
    });
  });

  it('a correct digest is accepted if the signature that was sent is invalid, and the result says so', () => {
    expect(diagnose(correct, { sentDigests: ['0'.repeat(64)] })).toMatchObject({
      ok: true,
      detail: expect.stringContaining(
        'an injected fault replaced the signature, or the secret has changed since',
      ),
    });
  });

  it('a digest is diagnosed with the body that the receiver had', () => {
    const payload = Buffer.from(body.replace('12.50', '13.50'));
    expect(diagnose(hex(`${timestamp}.${payload}`)).reason).toBe('signature_mismatch');
    expect(diagnose(hex(`${timestamp}.${payload}`), { otherBody: payload })).toMatchObject({
      reason: 'body_changed',
      detail: expect.stringContaining('"2.50'),
    });
  });

  it('a digest made with an API key is diagnosed if the key is given', () => {
    const apiKey = 'svc_test_0123456789';
    const otherSecrets = [{ name: 'the one given', secret: apiKey }];
    expect(diagnose(hex(content, apiKey), { otherSecrets }).reason).toBe('api_key_as_secret');
  });

  it.each([
    [
      'a truncated digest',
      `v1=${correct.slice(0, 40)}`,
      'contains only the first 40 characters of the correct digest',
    ],
    ['a truncated digest in a line', ` ${correct.slice(0, 12)}\n`, 'only the first 12 characters'],
    [
      'too short to be recognized',
      correct.slice(0, 11),
      'not an HMAC in hex or base64: it has 11 characters',
    ],
    ['hex with more text', `${correct}zz`, 'not an HMAC in hex or base64: it has 66 characters'],
    [
      'base64 with another character',
      `*${hmac(content).digest('base64')}`,
      'not an HMAC in hex or base64: it has 45 characters',
    ],
    [
      'the base64 of hex with more text',
      Buffer.from(`${correct}zz`).toString('base64'),
      'not an HMAC in hex or base64: it has 88 characters',
    ],
    ['no digest', 'v1=hello', 'not an HMAC'],
    ['nothing after the prefix', 'v1=', 'not an HMAC'],
  ])('malformed input is refused: %s', (_, computed, detail) => {
    expect(diagnose(computed)).toMatchObject({
      ok: false,
      reason: 'digest_malformed',
      detail: expect.stringContaining(detail),
    });
  });

  it('canBeDigest accepts each form of each digest, and rejects a file path', () => {
    for (const hash of ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'])
      for (const { name, write } of digestForms)
        expect([name, canBeDigest(write(hmac(content, secret, hash).digest()), schemes.svc)]).toEqual([
          name,
          true,
        ]);
    const sum = Buffer.concat([Buffer.from('{"type":"ping"}'), hmac('').digest()]).toString('base64');
    expect(canBeDigest(sum, schemes.github)).toBe(true);
    expect(canBeDigest('/app/node_modules/express/lib/router/index', schemes.svc)).toBe(false);
  });

  it('a digest with the previous secret is accepted during a rotation, and a truncated one is recognized', () => {
    const secrets = [secret, 'whsec_previous'];
    const computed = hex(content, 'whsec_previous');
    expect(diagnose(computed, { secrets }).ok).toBe(true);
    expect(diagnose(computed.slice(0, 30), { secrets }).detail).toContain('is truncated');
  });

  it('the hint for a digest without a known mistake says what else can help', () => {
    const computed = createHash('sha256').update('something else').digest('hex');
    expect(diagnose(computed)).toMatchObject({
      ok: false,
      reason: 'signature_mismatch',
      detail: expect.stringContaining('none of the likely combinations of two mistakes'),
      remedy: expect.stringContaining('with the secret and the raw body'),
    });
  });

  it('a digest is diagnosed for schemes that decode the secret and write base64', () => {
    const scheme = schemes['standard-webhooks'];
    const decoded = `whsec_${key.toString('base64')}`;
    const content = `del_1.${unix}.${body}`;
    const input = { scheme, secrets: [decoded], message: { id: 'del_1', timestamp: unix, body } };
    expect(diagnose(`v1,${hmac(content, key).digest('base64')}`, input)).toMatchObject({ ok: true });
    expect(diagnose(hmac(content, decoded).digest('base64'), input)).toMatchObject({
      reason: 'key_changed',
      remedy: 'Use the base64-decoded secret without whsec_ as the key.',
    });
    expect(diagnose(hmac(content, key).digest('hex'), input)).toMatchObject({
      reason: 'encoding_changed',
      detail: 'The receiver makes one mistake: the digest was written in lowercase hex instead of base64.',
    });
  });

  it('two mistakes are found in a body of 256 KiB if they are likely', () => {
    const large = `{"text":"${'a'.repeat(256 * 1024)}","n":1.0}`;
    const message = { id: 'del_1', timestamp, body: large };
    const diagnoseLarge = (content: string) => diagnose(hex(content), { message }).detail;
    expect(diagnoseLarge(`${unix}.${large}`)).toContain('one mistake: the timestamp was in seconds');
    expect(diagnoseLarge(`${unix}.${JSON.stringify(JSON.parse(large))}`)).toContain('2 mistakes: ');
    expect(diagnoseLarge(`${unix}.${large}?`)).toContain('No known mistake');
  });
});
