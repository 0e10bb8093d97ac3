import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SchemeName, schemeNames, schemes, sign, verify, verifyRequest } from '../src/signature.ts';
import { body, now, secret } from './signature/received-delivery.ts';

const options = { secret, now };

function request(scheme: SchemeName = 'svc', payload: string | Uint8Array<ArrayBuffer> = body): Request {
  const { headers } = sign({ payload, secret, id: 'del_1', scheme, timestampMs: now });
  return new Request('http://localhost/', { method: 'POST', headers, body: payload });
}

describe('sign and verify', () => {
  it('verify accepts a signature of sign at the system time', () => {
    const { headers, timestamp } = sign({ payload: body, secret, id: 'del_1' });
    const signature = headers['Service-Signature'];
    expect(verify({ payload: body, signature, timestamp, secret })).toMatchObject({ ok: true });
    expect(verify({ payload: body, signature, timestamp, secret, now: 0 })).toMatchObject({ ok: false });
  });

  it.each([
    [
      'a scheme that does not exist',
      { scheme: 'paypal' as SchemeName },
      'Signature scheme "paypal" does not exist.',
    ],
    [
      'an invalid scheme',
      { scheme: { ...schemes.svc, content: '' } },
      'The field content of the signature scheme must be a string that contains {body}',
    ],
    ['an empty secret', { secret: '' }, 'The secret is missing or empty'],
    [
      'a secret without a key in it',
      { secret: 'whsec_', scheme: 'standard-webhooks' as const },
      'nothing is left after decoding it',
    ],
  ])('sign refuses %s', (_, changes, message) => {
    expect(() => sign({ payload: body, secret, id: 'del_1', ...changes })).toThrow(message);
  });

  it('sign returns the headers of a built-in scheme as text, and their types say so', () => {
    const svc = sign({ payload: body, secret, id: 'del_1' }).headers;
    const texts: string[] = [svc['Service-Signature'], svc['Service-Timestamp'], svc['Service-Delivery-Id']];
    expect(texts).not.toContain(undefined);
    const stripe: { 'Stripe-Signature': string } = sign({
      ...{ payload: body, secret, id: 'del_1' },
      scheme: 'stripe',
    }).headers;
    expect(Object.values(stripe)).toEqual([expect.any(String)]);
  });

  it.each([undefined, null, ''])('sign refuses the id %j, which the scheme sends', (id) => {
    const input = { payload: body, secret, id: id as unknown as string };
    expect(() => sign(input)).toThrow('The ID is missing; the scheme svc sends it as Service-Delivery-Id.');
    expect(Object.values(sign({ ...input, scheme: 'stripe' }).headers)).not.toContain(undefined);
  });

  it('sign and verify accept several secrets and a custom scheme', () => {
    const scheme = { ...schemes.svc, algorithm: 'sha512' as const, encoding: 'base64' as const };
    const { headers, timestamp } = sign({ payload: body, secret: ['new', 'old'], id: 'del_1', scheme });
    const signature = headers['Service-Signature'];
    expect(verify({ payload: body, signature, timestamp, secret: 'old', scheme })).toMatchObject({
      ok: true,
    });
  });
});

describe('verifyRequest', () => {
  it.each(schemeNames)(
    'verifyRequest accepts a request signed as %s and returns its body',
    async (scheme) => {
      expect(await verifyRequest(request(scheme), { ...options, scheme })).toMatchObject({ ok: true, body });
    },
  );

  it('verifyRequest verifies the bytes, not the decoded text [§6.1]', async () => {
    const payload = Uint8Array.from([0x22, 0xff, 0x22]);
    expect(await verifyRequest(request('svc', payload), options)).toMatchObject({
      ok: true,
      body: '"\uFFFD"',
    });
  });

  it('verifyRequest reports the same reasons as verify', async () => {
    const late = { ...options, now: now + 360_000 };
    expect(await verifyRequest(request(), late)).toMatchObject({ reason: 'timestamp_too_old', body });
    const bare = new Request('http://localhost/', { method: 'POST', body });
    expect(await verifyRequest(bare, options)).toMatchObject({ reason: 'header_missing' });
  });

  it('verifyRequest recognizes the headers of another scheme', async () => {
    expect(await verifyRequest(request('github'), options)).toMatchObject({
      reason: 'other_scheme',
      detail:
        'The request has the header X-Hub-Signature-256 of the scheme github, but no Service-Signature.',
    });
  });

  it('verifyRequest refuses a request whose body was already read', async () => {
    const read = request();
    await read.text();
    expect(await verifyRequest(read, options)).toMatchObject({ reason: 'payload_unreadable', body: '' });
  });

  it('verify and verifyRequest do not throw, even if reading the input throws', async () => {
    const thrower = (): never => {
      throw new Error('no reading');
    };
    const trap = new Proxy({}, { get: thrower, has: thrower, ownKeys: thrower, getPrototypeOf: thrower });
    const refusal = {
      ok: false,
      reason: 'option_invalid',
      detail: 'Cannot read the input: "no reading".',
      scheme: 'unknown',
    };
    expect(verify(trap as never)).toMatchObject(refusal);
    expect(verify({ payload: body, secret, signature: 'v1=00', scheme: trap as never })).toMatchObject(
      refusal,
    );
    expect(await verifyRequest(request(), trap as never)).toMatchObject(refusal);
    expect(await verifyRequest(trap as never, options)).toMatchObject(refusal);
  });

  it('verifyRequest does not reject for input of any type', async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything(), fc.anything(), async (input, verifyOptions) => {
        expect(await verifyRequest(input as Request, verifyOptions as typeof options)).toMatchObject({
          ok: false,
        });
        expect(await verifyRequest(request(), verifyOptions as typeof options)).toMatchObject({ ok: false });
      }),
    );
  });
});
