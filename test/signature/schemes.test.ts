import { describe, expect, it } from 'vitest';
import type { SignatureScheme } from '../../src/signature/scheme.ts';
import {
  describeKey,
  findScheme,
  findSchemeProblem,
  getScheme,
  hasTimestamp,
  isContentTemplate,
  schemeNames,
  schemes,
} from '../../src/signature/schemes.ts';

const { svc, stripe, github } = schemes;
/** What fields must be. */
const KEY_PREFIX = 'the text before the encoded key, or ""';
const SEPARATOR = 'the text between two signatures, or null';
const TIMESTAMP_FIELD = 'the name of the timestamp in the signature header, or null';
const SIGNED = 'a header name, because the signed content includes';
const PARSABLE = 'a prefix and a separator with which the signature header can be parsed';

/** The scheme `svc` with changes in one group of fields. */
const withKey = (key: unknown) => ({ ...svc, key });
const withHeader = (header: object) => ({ ...svc, header: { ...svc.header, ...header } });
const withHeaders = (headers: object) => ({ ...svc, headers: { ...svc.headers, ...headers } });

describe('findSchemeProblem', () => {
  it.each(schemeNames)('findSchemeProblem accepts the built-in scheme %s', (name) => {
    expect(findSchemeProblem(schemes[name])).toBeNull();
  });

  it.each<[string, object]>([
    ['a key with a prefix', withKey({ form: 'hex', prefix: 'key_' })],
    ['a key without a prefix', withKey({ form: 'base64', prefix: '' })],
    ['a text key with a prefix', withKey({ form: 'utf8', prefix: 'key_' })],
    ['a header without a prefix', withHeader({ prefix: '' })],
    ['a signed ID', { ...svc, content: '{id}.{body}' }],
    ['an unsigned timestamp in the signature header', { ...stripe, content: '{body}' }],
    ['no timestamp and no ID', { ...github, headers: { ...github.headers, id: null } }],
  ])('findSchemeProblem accepts a scheme with %s', (_, scheme) => {
    expect(findSchemeProblem(scheme)).toBeNull();
  });

  it.each<[string, path: string, expected: string, value: unknown]>([
    ['null', 'name', 'a string that is not empty', null],
    ['an empty name', 'name', 'a string that is not empty', { ...svc, name: '' }],
    ['another hash function', 'algorithm', '"sha256", "sha1" or "sha512"', { ...svc, algorithm: 'md5' }],
    ['no key', 'key', 'an object', withKey(null)],
    ['another form of the key', 'key.form', '"utf8", "base64" or "hex"', withKey({ form: 'pem' })],
    ['a text as the header', 'header', 'an object', { ...svc, header: 'v1=' }],
    ['a text as the headers', 'headers', 'an object', { ...svc, headers: 'X-Signature' }],
    ['a decoded key without a prefix', 'key.prefix', KEY_PREFIX, withKey({ form: 'hex' })],
    [
      'a prefix of a text key that is a number',
      'key.prefix',
      KEY_PREFIX,
      withKey({ form: 'utf8', prefix: 7 }),
    ],
    [
      'a space in the prefix of the key',
      'key.prefix',
      KEY_PREFIX,
      withKey({ form: 'base64', prefix: 'whsec ' }),
    ],
    ['a content without placeholders', 'content', 'a string that contains {body}', { ...svc, content: '' }],
    [
      'a content with an unknown placeholder',
      'content',
      'a string that contains {body} and no placeholders other than {id}, {timestamp} and {body}',
      { ...svc, content: '{body}{nonce}' },
    ],
    ['another encoding', 'encoding', '"hex" or "base64"', { ...svc, encoding: 'base32' }],
    [
      'a prefix that is a number',
      'header.prefix',
      'the text before each signature',
      withHeader({ prefix: 1 }),
    ],
    ['a line break in the prefix', 'header.prefix', 'the text before each', withHeader({ prefix: 'v1\n' })],
    ['an empty separator', 'header.separator', SEPARATOR, withHeader({ separator: '' })],
    ['a line break as the separator', 'header.separator', SEPARATOR, withHeader({ separator: '\n' })],
    [
      'a timestamp field that is not a word',
      'header.timestampField',
      TIMESTAMP_FIELD,
      withHeader({ timestampField: 't=' }),
    ],
    [
      'a timestamp field that is a number',
      'header.timestampField',
      TIMESTAMP_FIELD,
      withHeader({ timestampField: 1 }),
    ],
    ['no signature header', 'headers.signature', 'the name of a header', withHeaders({ signature: null })],
    ['a space in a header name', 'headers.id', 'the name of a header', withHeaders({ id: 'a b' })],
    [
      'another format of timestamps',
      'timestampFormat',
      '"iso8601", "unix" or "unix_ms"',
      { ...svc, timestampFormat: 'rfc2822' },
    ],
    [
      'a signed timestamp that no header has',
      'headers.timestamp',
      `${SIGNED} {timestamp}`,
      withHeaders({ timestamp: null }),
    ],
    [
      'a signed ID that no header has',
      'headers.id',
      `${SIGNED} {id}`,
      { ...withHeaders({ id: null }), content: '{id}.{body}' },
    ],
    [
      'two headers whose names differ only in case',
      'headers',
      'different names',
      withHeaders({ id: 'service-signature' }),
    ],
    ['a space before the prefix', 'header', PARSABLE, withHeader({ prefix: ' v1=', separator: null })],
    ['a separator in the prefix', 'header', PARSABLE, withHeader({ prefix: 'v1,' })],
    ['a separator in the timestamp', 'header', PARSABLE, withHeader({ separator: ':', timestampField: 't' })],
    [
      'a timestamp field without a separator',
      'header',
      PARSABLE,
      withHeader({ separator: null, timestampField: 't' }),
    ],
  ])('findSchemeProblem refuses a scheme with %s', (_, path, expected, value) => {
    expect(findSchemeProblem(value)).toMatchObject({ path, expected: expect.stringContaining(expected) });
  });

  it.each<[SignatureScheme['encoding'], SignatureScheme['algorithm'], string]>([
    ['hex', 'sha1', '0123456789abcdef'],
    ['base64', 'sha1', 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'],
    ['base64', 'sha256', 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'],
  ])('no digit of a digest in %s with %s can be the separator', (encoding, algorithm, digits) => {
    const accepted = [...digits].filter(
      (separator) => findSchemeProblem({ ...withHeader({ separator }), encoding, algorithm }) === null,
    );
    expect(accepted).toEqual([]);
  });
});

it.each<[unknown, boolean]>([
  ['{body}', true],
  ['v0:{id}.{timestamp}.{body}', true],
  ['{timestamp}', false],
  ['body', false],
  ['{body}{}', false],
  [7, false],
])('the signed content %j is valid: %s', (content, isValid) => {
  expect(isContentTemplate(content)).toBe(isValid);
});

describe('findScheme and getScheme', () => {
  const custom = { ...svc, name: 'acme' };

  it('a scheme is found by its name, or is the given object', () => {
    expect(getScheme('slack')).toBe(schemes.slack);
    expect(getScheme(custom)).toBe(custom);
    for (const unknown of ['paypal', 'toString', null, 7]) expect(findScheme(unknown)).toBeNull();
  });

  it.each<[unknown, message: string, hint: string]>([
    ['paypal', 'Signature scheme "paypal" does not exist.', 'Use a built-in scheme: svc, standard-webhooks,'],
    [7, 'Signature scheme 7 does not exist.', 'Use a built-in scheme: svc, standard-webhooks,'],
    [
      { ...custom, encoding: 'hex ' },
      'The field encoding of the signature scheme must be "hex" or "base64".',
      'Correct the scheme, or use a built-in scheme: svc, standard-webhooks,',
    ],
  ])('getScheme refuses %j', (value, message, hint) => {
    expect(() => getScheme(value)).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        message,
        hint: { text: expect.stringContaining(hint) },
      }),
    );
  });
});

it.each<[string, SignatureScheme, boolean]>([
  ['its own header', svc, true],
  ['its own header, unsigned', { ...svc, content: '{body}' }, true],
  ['the signature header', stripe, true],
  ['no header', github, false],
])('hasTimestamp is correct for a scheme with the timestamp in %s', (_, scheme, expected) => {
  expect(hasTimestamp(scheme)).toBe(expected);
});

it.each<[SignatureScheme['key'], string]>([
  [{ form: 'utf8' }, 'the text of the whole secret'],
  [{ form: 'utf8', prefix: 'key_' }, 'the secret without key_'],
  [{ form: 'base64', prefix: '' }, 'the whole secret, base64-decoded'],
  [{ form: 'hex', prefix: 'key_' }, 'the hex-decoded secret without key_'],
])('describeKey describes %j', (key, text) => {
  expect(describeKey(key)).toBe(text);
});
