import { describe, expect, it } from 'vitest';
import { createSecretRemover } from '../../src/domain/secret-remover.ts';

const remover = createSecretRemover(['correct-horse-battery'], []);

describe('the removal of secrets from texts', () => {
  it.each([
    ['an API key of the sandbox', 'svc_test_HJhjN2ltch3_pftOBqGK9wU3wFtk_0hY'],
    ['an API key of production', 'svc_live_HJhjN2ltch3_pftOBqGK9wU3wFtk_0hY'],
    ['an endpoint secret of another endpoint', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    ['the secret of the endpoint', 'correct-horse-battery'],
  ])('%s is removed from a body, which stays valid JSON', (_, secret) => {
    expect(JSON.parse(remover.fromText(JSON.stringify({ note: `a ${secret}, b`, n: 1 })))).toEqual({
      note: 'a [removed], b',
      n: 1,
    });
  });

  it('a secret with characters that JSON escapes is removed from a body', () => {
    const { fromText } = createSecretRemover(['quote"and\\backslash'], []);
    expect(fromText(JSON.stringify({ note: 'quote"and\\backslash' }))).toBe('{"note":"[removed]"}');
  });

  it('a text without secrets stays the same', () => {
    const text = '{"order":"ord_7KQ2M9","prefix":"svc_test_","note":"whsec_short"}';
    expect(remover.fromText(text)).toBe(text);
  });
});

describe('the removal of secrets from headers', () => {
  it.each([
    'Authorization',
    'proxy-authorization',
    'Cookie',
    'Set-Cookie',
    'X-Api-Key',
    'X-Auth-Token',
    'x-webhook-secret',
    'X-Password',
  ])('the value of %s is removed', (name) => {
    expect(remover.fromHeaders({ [name]: 'abc' })).toEqual({ [name]: '[removed]' });
  });

  it.each(['Service-Signature', 'Service-Timestamp', 'Idempotency-Key', 'Content-Type', 'X-Author'])(
    'the value of %s is kept',
    (name) => {
      expect(remover.fromHeaders({ [name]: 'v1=00ff' })).toEqual({ [name]: 'v1=00ff' });
    },
  );

  it('a value of a header that a receiver echoes is removed from its response', () => {
    const { fromText } = createSecretRemover([], [{ Authorization: 'Bearer dG9rZW4tb2YtbWU' }]);
    expect(fromText('{"got":"Bearer dG9rZW4tb2YtbWU","token":"dG9rZW4tb2YtbWU"}')).toBe(
      '{"got":"[removed]","token":"[removed]"}',
    );
  });
});

describe('the secrets that are removed from texts', () => {
  it('the longer secret is removed completely if another secret is a part of it', () => {
    const { fromText } = createSecretRemover(['battery', 'correct-battery-staple', 'battery-staple'], []);
    expect(fromText('correct-battery-staple, battery-staple, battery')).toBe(
      '[removed], [removed], [removed]',
    );
  });

  it('only the values of secret headers are removed from other texts, from twelve characters', () => {
    const headers = { 'X-Api-Key': 'twelve-chars', 'X-Token': 'only-eleven', 'X-Order': 'order-of-today' };
    const { fromText } = createSecretRemover([], [headers]);
    expect(fromText('twelve-chars only-eleven order-of-today')).toBe('[removed] only-eleven order-of-today');
  });

  it('the value of every cookie of a request is removed', () => {
    const { fromText } = createSecretRemover([], [{ Cookie: 'lang=de; sid=0123456789abcdef' }]);
    expect(fromText('sid 0123456789abcdef lang de')).toBe('sid [removed] lang de');
  });
});

it('the value of a cookie is removed, and its attributes are kept', () => {
  const headers = { 'Set-Cookie': 'sid=0123456789abcdef; Path=/webhooks/orders; HttpOnly' };
  const { fromText } = createSecretRemover([], [headers]);
  expect(fromText('POST /webhooks/orders sid 0123456789abcdef')).toBe('POST /webhooks/orders sid [removed]');
});

it.each([
  ['https://user:pw@example.com/a', 'https://[removed]@example.com/a'],
  ['https://user@example.com/a', 'https://[removed]@example.com/a'],
  ['https://:pw@example.com/a', 'https://[removed]@example.com/a'],
  ['http://localhost:3000//a@b', 'http://localhost:3000//a@b'],
  ['https://example.com/a?token=abc&order=1', 'https://example.com/a?token=[removed]&order=1'],
  ['https://example.com/a?order=1&api_key=x#f', 'https://example.com/a?order=1&api_key=[removed]#f'],
  ['https://example.com/correct-horse-battery', 'https://example.com/[removed]'],
  ['http://localhost:3000/webhooks?order=a@b', 'http://localhost:3000/webhooks?order=a@b'],
  ['no URL ?token=a', 'no URL ?token=a'],
])('%s is exported as %s', (url, expected) => {
  expect(remover.fromUrl(url)).toBe(expected);
});
