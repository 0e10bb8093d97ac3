import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import published from '../../fixtures/signatures/published.json' with { type: 'json' };
import golden from '../../fixtures/signatures/svc.json' with { type: 'json' };
import { MINUTE_MS } from '../../src/domain/duration.ts';
import type { RefusalReason } from '../../src/signature/refusals.ts';
import { type SchemeName, schemeNames, schemes } from '../../src/signature/schemes.ts';
import { createSignatureHeaders } from '../../src/signature/sign.ts';
import { verify, verifyMessage } from '../../src/signature/verify.ts';
import type { VerifyInput } from '../../src/signature/verify-input.ts';
import { body, now, received, secret } from './received-delivery.ts';

const text = fc.string({ unit: 'binary', minLength: 1 });
const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 });
const base64Secret = fc
  .uint8Array({ minLength: 16, maxLength: 64 })
  .map((key) => `whsec_${Buffer.from(key).toString('base64')}`);

describe('a genuine delivery', () => {
  it.each(golden.vectors)(
    'a genuine delivery is accepted: $name [§6.2]',
    ({ secrets, timestamp, body_base64, signature }) => {
      const payload = Buffer.from(body_base64, 'base64');
      for (const each of secrets) {
        expect(verify({ payload, signature, timestamp, secret: each, now: Date.parse(timestamp) })).toEqual({
          ok: true,
          reason: null,
          detail: `The signature is valid, and its timestamp was 0ms old at ${timestamp}.`,
          remedy: null,
          scheme: 'svc',
        });
      }
    },
  );

  it.each(published.vectors)(
    'a genuine delivery is accepted: the published example of $scheme',
    ({ scheme, ...vector }) => {
      const at = Number(vector.timestamp) * 1000;
      const input = { ...vector, payload: vector.body, scheme: scheme as SchemeName, now: at };
      expect(verify(input)).toMatchObject({ ok: true, scheme });
    },
  );

  it.each(schemeNames)('a genuine delivery is accepted whatever its bytes, under %s', (scheme) => {
    fc.assert(
      fc.property(fc.oneof(bytes, text), base64Secret, (payload, each) => {
        expect(verify(received({ secret: each }, { payload, secrets: [each], scheme }))).toMatchObject({
          ok: true,
        });
      }),
    );
  });

  it('a genuine delivery is accepted under the old and under the new secret of a rotation [signature.header]', () => {
    const both = { secrets: ['new', 'old'] };
    for (const each of ['new', 'old', ['other', 'old'], ['new', 'other']]) {
      expect(verify(received({ secret: each }, both))).toMatchObject({ ok: true });
    }
  });

  it('a genuine delivery is accepted when the header was sent in parts and joined with a space', () => {
    const { signature, ...rest } = received({}, { secrets: ['other', secret] });
    expect(verify({ ...rest, signature: signature?.replace(',', ', ') })).toMatchObject({ ok: true });
  });

  it('a genuine delivery is accepted with a timestamp in Unix seconds, under the same scheme [signature.timestamp]', () => {
    const unix = { ...schemes.svc, timestampFormat: 'unix' as const };
    const { signature } = received({}, { scheme: 'stripe' });
    const digest = signature?.split(',')[1];
    for (const scheme of ['svc' as const, unix]) {
      expect(verify(received({ scheme, signature: digest, timestamp: '1795215960' }))).toMatchObject({
        ok: true,
      });
    }
  });
});

describe('the headers of a delivery', () => {
  it.each(schemeNames)('verifyMessage reads the headers of the scheme %s', (scheme) => {
    const { signature, timestamp, id } = received({}, { scheme });
    const names = schemes[scheme].headers;
    const headers = new Headers({ [names.signature]: signature ?? '' });
    if (names.timestamp !== null) headers.set(names.timestamp, timestamp ?? '');
    if (names.id !== null) headers.set(names.id, id ?? '');
    const message = { payload: body, headers, scheme, secret, now };
    expect(verifyMessage(message)).toMatchObject({ ok: true, scheme });
    expect(verifyMessage({ ...message, secret: 'other' })).toMatchObject({ reason: 'signature_mismatch' });
  });

  it.each<[string, Record<string, string>, VerifyInput['scheme'], RefusalReason]>([
    ['no headers', {}, 'svc', 'header_missing'],
    ['headers of another scheme', { 'Stripe-Signature': 't=1,v1=00' }, undefined, 'other_scheme'],
    [
      'its header and one of another scheme',
      { 'Stripe-Signature': 't=1,v1=00', 'Service-Signature': 'v1=00' },
      undefined,
      'header_malformed',
    ],
    ['a scheme that does not exist', {}, 'paypal' as SchemeName, 'option_invalid'],
  ])('verifyMessage gives the reason for a request with %s', (_, headers, scheme, reason) => {
    expect(
      verifyMessage({ payload: body, headers: new Headers(headers), scheme, secret, now }),
    ).toMatchObject({
      ok: false,
      reason,
    });
  });

  it('spaces around a signature, a timestamp or an ID do not matter', () => {
    const { signature, timestamp, id, ...rest } = received({}, { scheme: 'standard-webhooks' });
    const padded = { signature: ` ${signature} `, timestamp: ` ${timestamp}\t`, id: ` ${id} ` };
    expect(verify({ ...rest, ...padded })).toMatchObject({ ok: true });
  });

  it('a genuine delivery is accepted beside a signature of a later version', () => {
    const { signature, ...rest } = received();
    expect(verify({ ...rest, signature: `v2=abc,${signature}` })).toMatchObject({ ok: true });
  });
});

describe('a single changed byte', () => {
  const index = fc.nat();
  const printable = fc.string({ minLength: 1, maxLength: 1 });
  const replaceAt = (value: string, at: number, char: string) =>
    value.slice(0, at % value.length) + char + value.slice((at % value.length) + 1);

  it('a changed byte of the body is refused [§6.1]', () => {
    fc.assert(
      fc.property(bytes, index, fc.integer({ min: 1, max: 255 }), (signed, at, flip) => {
        const payload = Uint8Array.from(signed);
        payload[at % payload.length] = (payload[at % payload.length] ?? 0) ^ flip;
        expect(verify(received({ payload }, { payload: signed })).ok).toBe(false);
      }),
    );
  });

  it.each(['signature', 'timestamp'] as const)('a changed character of the %s is refused', (member) => {
    const genuine = received();
    const value = genuine[member] ?? '';
    fc.assert(
      fc.property(index, printable, (at, char) => {
        const changed = replaceAt(value, at, char);
        fc.pre(changed !== value);
        expect(verify({ ...genuine, [member]: changed }).ok).toBe(false);
      }),
    );
  });
});

describe('the age of a delivery', () => {
  const refusedAt = (ms: number, toleranceMs?: number) =>
    verify(received({ now: now + ms, toleranceMs })).reason;

  it('a delivery is accepted until exactly five minutes after its timestamp [§6.3, §8.tolerance, signature.tolerance]', () => {
    expect(refusedAt(5 * MINUTE_MS)).toBeNull();
    expect(refusedAt(5 * MINUTE_MS + 1)).toBe('timestamp_too_old');
  });

  it('a delivery is accepted from exactly five minutes before its timestamp [signature.tolerance]', () => {
    expect(refusedAt(-5 * MINUTE_MS)).toBeNull();
    expect(refusedAt(-5 * MINUTE_MS - 1)).toBe('timestamp_in_future');
  });

  it('the age of a delivery is compared with another tolerance if one is given', () => {
    expect(refusedAt(1000, 1000)).toBeNull();
    expect(refusedAt(1001, 1000)).toBe('timestamp_too_old');
    expect(refusedAt(-1, 0)).toBe('timestamp_in_future');
    expect(refusedAt(1e12, Number.POSITIVE_INFINITY)).toBeNull();
  });

  it('the age of a delivery is not checked if the scheme has no timestamp', () => {
    expect(verify(received({ now: 0 }, { scheme: 'github' }))).toMatchObject({
      ok: true,
      detail: 'The signature is valid.',
    });
  });

  it.each([
    [2000, '2s old'],
    [-2000, '2s in the future'],
  ])('the detail of a valid signature tells its age after %i ms', (ms, age) => {
    expect(verify(received({ now: now + ms })).detail).toBe(
      `The signature is valid, and its timestamp was ${age} at ${new Date(now + ms).toISOString().replace('.000Z', 'Z')}.`,
    );
  });

  it('the age of a delivery is measured at any time that a Date can have', () => {
    expect(refusedAt(8.64e15 - now)).toBe('timestamp_too_old');
    expect(refusedAt(8.64e15 + 1 - now)).toBe('option_invalid');
  });

  it('the age of a delivery is checked in a timestamp header that the signature does not cover', () => {
    const scheme = { ...schemes.svc, content: '{body}' };
    const { signature } = received({}, { scheme: 'github' });
    const input = received({ scheme, signature: signature?.replace('sha256', 'v1') });
    expect(verify(input)).toMatchObject({ ok: true });
    expect(verify({ ...input, now: now + 6 * MINUTE_MS })).toMatchObject({ reason: 'timestamp_too_old' });
  });
});

describe('refusals', () => {
  const cases: Record<
    string,
    readonly [input: VerifyInput, reason: RefusalReason, detail: string, remedy: string]
  > = {
    'no secret': [
      received({ secret: '' }),
      'secret_missing',
      'missing or empty',
      'unset environment variable',
    ],
    'a secret without a key in it': [
      received({ secret: 'whsec_' }, { scheme: 'standard-webhooks' }),
      'secret_missing',
      'nothing is left after decoding',
      'unset environment variable',
    ],
    'an unknown scheme': [
      received({ scheme: 'paypal' as SchemeName }),
      'option_invalid',
      'scheme must be one of svc, standard-webhooks, stripe, github, slack',
      'omit it to use the default',
    ],
    'a scheme that does not sign the body': [
      received({ scheme: { ...schemes.svc, content: '{timestamp}' } }),
      'option_invalid',
      'content of the scheme must be a string that contains {body}',
      'Correct the scheme',
    ],
    'a tolerance that is not a number': [
      received({ toleranceMs: Number.NaN }),
      'option_invalid',
      'toleranceMs must be a number of milliseconds, at least 0',
      'omit it to use the default',
    ],
    'a time out of range': [
      received({ now: 1e300 }),
      'option_invalid',
      'now must be a time in milliseconds since 1970',
      'omit it to use the default',
    ],
    'a parsed body': [
      received({ payload: JSON.parse(body) }),
      'payload_unreadable',
      'it is an object',
      'Use all bytes of the request body as they arrived',
    ],
    'no signature': [
      received({ signature: null }),
      'header_missing',
      'Service-Signature is missing or empty',
      'no proxy removes it',
    ],
    'an empty signature': [
      received({ signature: ' ' }),
      'header_missing',
      'Service-Signature is missing or empty',
      'no proxy removes it',
    ],
    'an empty timestamp': [
      received({ timestamp: ' ' }),
      'header_missing',
      'Service-Timestamp is missing or empty',
      'Pass the value of Service-Timestamp',
    ],
    'no id although it is signed': [
      received({ id: undefined }, { scheme: 'standard-webhooks' }),
      'header_missing',
      'Webhook-Id is missing or empty. The scheme standard-webhooks requires it',
      'Pass the value of Webhook-Id',
    ],
    'a list of headers': [
      { ...received(), signature: ['v1=00'] },
      'header_malformed',
      'must be a string, but it is an array',
      'as one string',
    ],
    'a truncated signature': [
      received({ signature: received().signature?.slice(0, 40) }),
      'header_malformed',
      '(40 characters), which does not match the format v1=<64 lowercase hex characters>',
      'not truncated or converted',
    ],
    'a signature in capitals': [
      received({ signature: received().signature?.toUpperCase() }),
      'header_malformed',
      '(67 characters), which does not match',
      'not truncated or converted',
    ],
    'a signature in uppercase hex': [
      received({ signature: `v1=${received().signature?.slice(3).toUpperCase()}` }),
      'header_malformed',
      '(67 characters), which does not match',
      'not truncated or converted',
    ],
    'a timestamp that is a number': [
      received({ timestamp: 1795215960 as unknown as string }),
      'header_malformed',
      'The value of Service-Timestamp must be a string, but it is a number',
      'as one string',
    ],
    'a timestamp that is a number, for a scheme without its header': [
      received({ timestamp: 1795215960 as unknown as string }, { scheme: 'stripe' }),
      'header_malformed',
      'The value of timestamp must be a string',
      'as one string',
    ],
    'an ID that is a number': [
      received({ id: 7 as unknown as string }),
      'header_malformed',
      'The value of Service-Delivery-Id must be a string',
      'as one string',
    ],
    'an ID that is a number, for a scheme without its header': [
      received({ id: 7 as unknown as string }, { scheme: 'slack' }),
      'header_malformed',
      'The value of id must be a string',
      'as one string',
    ],
    'bytes of another kind': [
      received({ payload: new DataView(new ArrayBuffer(4)) as unknown as Uint8Array }),
      'payload_unreadable',
      'it is an object',
      'Use all bytes of the request body as they arrived',
    ],
    'an object that calls itself bytes': [
      received({ payload: { [Symbol.toStringTag]: 'Uint8Array' } as unknown as Uint8Array }),
      'payload_unreadable',
      'it is an object',
      'Use all bytes of the request body as they arrived',
    ],
    'no timestamp in the signature header': [
      received({ scheme: 'stripe', signature: `v1=${'0'.repeat(64)}` }, { scheme: 'stripe' }),
      'header_malformed',
      'the format t=<timestamp>,v1=<64 lowercase hex characters>',
      'Pass the whole value of Stripe-Signature',
    ],
    'another version of the signature': [
      received({ signature: 'v2=abc,v3=def' }),
      'version_unknown',
      'contains v2, v3, but the scheme svc uses v1',
      'Verify with the scheme that the sender uses',
    ],
    'one other version of the signature': [
      received({ signature: 'v2=abc' }),
      'version_unknown',
      'contains v2, but the scheme svc uses v1',
      'Verify with the scheme that the sender uses',
    ],
    'a timestamp in words': [
      received({ timestamp: 'yesterday' }),
      'timestamp_unreadable',
      'neither ISO 8601 with a time zone nor seconds or milliseconds',
      'such as 2026-11-20T23:06:00Z or 1795215960',
    ],
    'a timestamp in milliseconds': [
      received({ timestamp: String(now) }),
      'timestamp_changed',
      'It would match if the timestamp was in ISO 8601 without milliseconds (2026-11-20T23:06:00Z), but its header is 1795215960000',
      'Converting it changes the signed string',
    ],
    'a timestamp that is too old': [
      received({ now: now + 6 * MINUTE_MS + 500 }),
      'timestamp_too_old',
      '6m0.5s before 2026-11-20T23:12:00.500Z. This exceeds the tolerance of 5m by 1m0.5s',
      'Reject the delivery as a possible replay',
    ],
    'a timestamp in the future': [
      received({ now: now - 65 * MINUTE_MS }),
      'timestamp_in_future',
      '1h5m after 2026-11-20T22:01:00Z. This exceeds the tolerance of 5m by 1h.',
      'check the clocks',
    ],
    'an unknown secret': [
      received({ secret: 'whsec_other' }),
      'signature_mismatch',
      'the given secret and body (94 bytes)',
      'Compare the secret with the endpoint secret first',
    ],
    'two unknown secrets': [
      received({ secret: ['whsec_other', 'whsec_another'] }),
      'signature_mismatch',
      'any of the 2 given secrets',
      'Compare the secret with the endpoint secret first',
    ],
    'an empty body': [
      received({ payload: '' }),
      'signature_mismatch',
      'the given secret and body (0 bytes)',
      'the given body is empty',
    ],
  };

  it.each(Object.entries(cases))(
    'a refusal names the reason and the next step: %s',
    (_, [input, reason, detail, remedy]) => {
      expect(verify(input)).toEqual({
        ok: false,
        reason,
        detail: expect.stringContaining(detail),
        remedy: expect.stringContaining(remedy),
        scheme: expect.anything(),
      });
    },
  );

  it('a refusal names the scheme that was asked for', () => {
    const acme = { ...schemes.svc, name: 'acme' };
    const nameFor = (scheme: unknown) =>
      verify(received({ secret: '', scheme: scheme as SchemeName })).scheme;
    expect(['github', 'paypal', acme, undefined, 7].map(nameFor)).toEqual([
      ...['github', 'paypal', 'acme', 'svc', 'unknown'],
    ]);
  });

  it('a signed timestamp that cannot be read is not mistaken for another scheme', () => {
    const message = { id: 'del_1', timestamp: 'yesterday', body };
    const headers = new Headers(createSignatureHeaders(schemes.svc, [secret], message));
    expect(verifyMessage({ payload: body, headers, secret, now }).reason).toBe('timestamp_unreadable');
  });

  it('a stale delivery is only reported as stale if its signature matches', () => {
    const stale = { now: now + 6 * MINUTE_MS };
    expect(verify(received({ ...stale })).reason).toBe('timestamp_too_old');
    expect(verify(received({ ...stale, secret: 'other' })).reason).toBe('signature_mismatch');
  });

  it('a refusal never shows a secret or the correct signature', () => {
    const right = received().signature?.slice(3) ?? '';
    const wrong = [
      { payload: `${body} ` },
      { secret: `${secret}x` },
      { secret: ` ${secret}` },
      { payload: '' },
    ];
    for (const changes of wrong) {
      const shown = JSON.stringify(verify(received({ ...changes, signature: `v1=${'0'.repeat(64)}` })));
      expect(shown).not.toContain(secret.slice(0, 12));
      expect(shown).not.toContain(right.slice(0, 12));
    }
  });
});

describe('verify', () => {
  const anything = fc.anything({
    withNullPrototype: true,
    withTypedArray: true,
    withBigInt: true,
    withDate: true,
  });
  const members = [
    'payload',
    'signature',
    'timestamp',
    'id',
    'secret',
    'scheme',
    'now',
    'toleranceMs',
    'otherSecrets',
    'otherSchemes',
    'sentBody',
    'contentEncoding',
  ];
  const refuses = (input: unknown) => {
    const result = verify(input as VerifyInput);
    expect(Object.keys(result).sort()).toEqual(['detail', 'ok', 'reason', 'remedy', 'scheme']);
    expect(result).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/.\.$/),
      scheme: expect.any(String),
    });
  };

  it('verify does not throw for input of any type', () => {
    fc.assert(fc.property(anything, refuses));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...members), anything), (input) => {
        refuses({ ...received({ signature: `v1=${'0'.repeat(64)}` }), ...input });
      }),
      { numRuns: 500 },
    );
  });

  it('verify does not throw for an invalid scheme', () => {
    const twisted = fc
      .tuple(fc.constantFrom(...Object.keys(schemes.svc)), anything)
      .map(([member, value]) => ({ ...schemes.svc, [member]: value }));
    fc.assert(
      fc.property(twisted, (scheme) => refuses(received({ scheme: scheme as never, secret: 'other' }))),
    );
  });

  it('verify does not throw for any header text', () => {
    const header = fc.oneof(
      text,
      fc
        .array(fc.constantFrom('v1=', 'v2=', 't=', ',', ' ', '0'.repeat(64), '1795215960', 'v1,'), {
          maxLength: 9,
        })
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(header, header, fc.constantFrom(...schemeNames), (signature, timestamp, scheme) =>
        refuses(received({ signature, timestamp, scheme })),
      ),
      { numRuns: 500 },
    );
  });
});
