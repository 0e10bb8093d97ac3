import { describe, expect, it } from 'vitest';
import { getApiKeyEnvironment } from '../../src/domain/credentials.ts';
import {
  createRandomApiKey,
  createRandomSource,
  createWebhookSecret,
  fillFromHash,
  hashApiKey,
} from '../../src/domain/secret.ts';

describe('an endpoint secret', () => {
  it('an endpoint secret is whsec_ and 32 random bytes in base64url, and not an API key [secret.format, §2.webhook.secret-separate]', () => {
    const secret = createWebhookSecret();
    expect(secret).toMatch(/^whsec_[\w-]{43}$/);
    expect(Buffer.from(secret.slice(6), 'base64url')).toHaveLength(32);
    expect(getApiKeyEnvironment(secret)).toBeNull();
    expect(createWebhookSecret()).not.toBe(secret);
  });

  it.each([
    ['base64', 'whsec_', /^whsec_[A-Za-z0-9+/]{43}=$/],
    ['hex', 'key_', /^key_[0-9a-f]{64}$/],
  ] as const)(
    'an endpoint secret is written in %s after %s if the scheme decodes it',
    (form, prefix, pattern) => {
      const secret = createWebhookSecret({ form, prefix });
      expect(secret).toMatch(pattern);
      expect(Buffer.from(secret.slice(prefix.length), form)).toHaveLength(32);
    },
  );

  it.each([
    ['key_', /^key_[\w-]{43}$/],
    ['', /^whsec_[\w-]{43}$/],
  ])('an endpoint secret that is used as text has the prefix of the scheme: %j', (prefix, pattern) => {
    expect(createWebhookSecret({ form: 'utf8', prefix })).toMatch(pattern);
  });

  it('an endpoint secret depends on the random seed, if one is set', () => {
    const make = (seed: number) => createWebhookSecret({ form: 'utf8' }, createRandomSource(seed).fill);
    expect(make(1)).toBe(make(1));
    expect(make(1)).not.toBe(make(2));
  });
});

describe('an API key', () => {
  it.each([
    ['sandbox', 'svc_test_'],
    ['production', 'svc_live_'],
  ] as const)('an API key of the environment %s has the prefix %s [§5.2]', (environment, prefix) => {
    const key = createRandomApiKey(environment);
    expect(key).toMatch(new RegExp(`^${prefix}[\\w-]{32}$`));
    expect(getApiKeyEnvironment(key)).toBe(environment);
  });

  it('the hash of an API key does not contain the key', () => {
    const key = createRandomApiKey('sandbox');
    expect(hashApiKey(key)).toHaveLength(32);
    expect(hashApiKey(key).toString('latin1')).not.toContain(key);
    expect(hashApiKey(key).equals(hashApiKey(`${key} `))).toBe(false);
  });

  it.each(['', 'svc_', 'svc_test', 'SVC_TEST_a', ' svc_test_a'])('the text %j is not an API key', (text) => {
    expect(getApiKeyEnvironment(text)).toBeNull();
  });
});

describe('createRandomSource', () => {
  const draw = (seed: number | null, purpose?: string) => {
    const { fill, next } = createRandomSource(seed, purpose);
    return `${Buffer.from(fill(new Uint8Array(16))).toString('hex')} ${next()}`;
  };

  it('random values without a seed are different in every run', () => {
    const bytes = () => Buffer.from(createRandomSource(null).fill(new Uint8Array(16))).toString('hex');
    expect(bytes()).not.toBe(bytes());
    expect(createRandomSource(null).next()).not.toBe(createRandomSource(null).next());
  });

  it('random values with a seed depend on the seed and the purpose only', () => {
    expect([draw(7), draw(7, 'ids'), draw(7, 'jitter')]).toEqual([
      draw(7),
      draw(7, 'ids'),
      draw(7, 'jitter'),
    ]);
    expect(new Set([draw(7), draw(8), draw(7, 'ids'), draw(7, 'jitter')]).size).toBe(4);
  });

  it('random numbers with a seed cover the range from 0 to 1 evenly', () => {
    const { next } = createRandomSource(7);
    const counts = [0, 0, 0, 0];
    for (let i = 0; i < 4_000; i++) {
      const number = next();
      counts[Math.floor(number * 4)] = (counts[Math.floor(number * 4)] ?? 0) + 1;
    }
    expect(counts).toHaveLength(4);
    for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });
});

it('fillFromHash fills a buffer with the start of the hash of a secret', () => {
  const fill = (length: number) => Buffer.from(fillFromHash('abc')(new Uint8Array(length))).toString('hex');
  expect(fill(4)).toBe('ba7816bf');
  expect(fill(32)).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
