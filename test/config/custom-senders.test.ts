import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { checkSender, customSenders, selectSender, toFileSenders } from '../../src/config/custom-senders.ts';
import { resolveRules } from '../../src/profile/resolve-rules.ts';
import { parseConfigured } from '../../src/resources/configured-value.ts';
import { schemes } from '../../src/signature/schemes.ts';

const valueLocation = {
  path: 'senders',
  file: 'svc.config.json',
  toHint: (expected: string) => `Set it to ${expected}.`,
};
const parseSender = (fileValue: unknown) =>
  parseConfigured(customSenders, { acme: fileValue }, valueLocation).acme;
const parse = (scheme: unknown) => parseSender({ scheme })?.scheme;

const complete = {
  algorithm: 'sha512',
  key: { form: 'hex', prefix: 'key_' },
  content: '{id}|{timestamp}|{body}',
  encoding: 'base64',
  header: { prefix: 's=', separator: ';', timestamp_field: 'ts' },
  headers: { signature: 'Acme-Signature', timestamp: null, id: 'Acme-Id' },
  timestamp_format: 'unix_ms',
};

describe('a scheme in the configuration file', () => {
  it('a scheme is written in snake_case and becomes a scheme of the library', () => {
    expect(parse(complete)).toEqual({
      name: 'acme',
      algorithm: 'sha512',
      key: { form: 'hex', prefix: 'key_' },
      content: '{id}|{timestamp}|{body}',
      encoding: 'base64',
      header: { prefix: 's=', separator: ';', timestampField: 'ts' },
      headers: { signature: 'Acme-Signature', timestamp: null, id: 'Acme-Id' },
      timestampFormat: 'unix_ms',
    });
  });

  it('a scheme is shown in the form in which it was written', () => {
    const written = { acme: { scheme: complete, retry: ['1m', '1h'], headers: { 'X-Topic': '{type}' } } };
    expect(toFileSenders(parseConfigured(customSenders, written, valueLocation))).toMatchObject(written);
  });

  it('a scheme with a decoded key has a prefix before the key', () => {
    expect(parse({ key: { form: 'base64' } })).toMatchObject({ key: { form: 'base64', prefix: 'whsec_' } });
    expect(() => parse({ key: { prefix: 'key_' } })).toThrow(
      'senders.acme.scheme.key in svc.config.json has no field "prefix"',
    );
  });

  it('a scheme has the values of the scheme svc for the fields that it omits', () => {
    expect(parse({})).toEqual({ ...schemes.svc, name: 'acme' });
    expect(parse({ headers: { signature: 'Acme-Signature' }, header: { prefix: 'v2=' } })).toMatchObject({
      ...schemes.svc,
      name: 'acme',
      headers: { ...schemes.svc.headers, signature: 'Acme-Signature' },
      header: { ...schemes.svc.header, prefix: 'v2=' },
    });
  });

  it.each<[string, unknown, string, unknown]>([
    ['algorithm', { hash: 'sha256' }, '"sha256", "sha1" or "sha512"', { algorithm: { hash: 'sha256' } }],
    ['algorithm', 'md5', '"sha256", "sha1" or "sha512"', { algorithm: 'md5' }],
    ['key.form', 'pem', '"utf8", "base64" or "hex"', { key: { form: 'pem' } }],
    ['key.prefix', 7, 'the text before the encoded key, or ""', { key: { form: 'hex', prefix: 7 } }],
    ['content', '{timestamp}', 'a string that contains {body}', { content: '{timestamp}' }],
    ['content', '{body}.{nonce}', 'a string that contains {body}', { content: '{body}.{nonce}' }],
    ['encoding', 'base32', '"hex" or "base64"', { encoding: 'base32' }],
    ['header.prefix', 'v1\n', 'the text before each signature, or ""', { header: { prefix: 'v1\n' } }],
    ['header.prefix', undefined, 'the text before each signature, or ""', { header: 'v1=' }],
    ['header.separator', '', 'the text between two signatures, or null', { header: { separator: '' } }],
    ['header.timestamp_field', 't=', 'the name of the timestamp', { header: { timestamp_field: 't=' } }],
    ['headers.signature', null, 'a header name', { headers: { signature: null } }],
    ['headers.signature', 'Content-Type', 'a header name', { headers: { signature: 'Content-Type' } }],
    ['headers.timestamp', 'a b', 'a header name, or null', { headers: { timestamp: 'a b' } }],
    ['timestamp_format', 'rfc2822', '"iso8601", "unix" or "unix_ms"', { timestamp_format: 'rfc2822' }],
    [
      ...['headers.timestamp', null, 'a header name, because the signed content includes {timestamp}'],
      { headers: { timestamp: null } },
    ],
    [
      ...['headers.id', null, 'a header name, because the signed content includes {id}'],
      { content: '{id}.{body}', headers: { id: null } },
    ],
    [
      'headers',
      { signature: 'Service-Signature', timestamp: 'Service-Timestamp', id: 'service-signature' },
      'different names',
      { headers: { id: 'service-signature' } },
    ],
    [
      'header',
      { prefix: 'v1=', separator: 'a', timestamp_field: null },
      'a prefix and a separator with which the signature header can be parsed',
      { header: { separator: 'a' } },
    ],
    [
      'header',
      { prefix: 'v1,', separator: ',', timestamp_field: null },
      'a prefix and a separator with which the signature header can be parsed',
      { header: { prefix: 'v1,' } },
    ],
    [
      'header',
      { prefix: 'v1=', separator: null, timestamp_field: 't' },
      'a prefix and a separator with which the signature header can be parsed',
      { header: { separator: null, timestamp_field: 't' } },
    ],
  ] as [string, unknown, string, unknown][])(
    'a scheme whose %s is %j is refused: it must be %s',
    (field, value, expected, fileValue) => {
      const path = `senders.acme.scheme.${field} in svc.config.json`;
      const shown =
        typeof value === 'string'
          ? JSON.stringify(value)
          : inspect(value, { compact: true, breakLength: Infinity });
      expect(() => parse(fileValue)).toThrow(
        expect.objectContaining({
          message:
            value === undefined
              ? `Missing value for ${path}`
              : `Invalid value for ${path}: ${shown.slice(0, 80)}${shown.length > 80 ? '…' : ''}`,
          hint: { text: expect.stringContaining(`Set it to ${expected}`) },
        }),
      );
    },
  );

  it('a built-in scheme is named', () => {
    expect(parse('stripe')).toBe(schemes.stripe);
    expect(() => parse('strip')).toThrow(
      expect.objectContaining({
        message: 'Invalid value for senders.acme.scheme in svc.config.json: "strip"',
      }),
    );
  });

  it('a scheme with an unknown field is refused', () => {
    expect(() => parse({ headers: { signatur: 'X' } })).toThrow(
      expect.objectContaining({
        message: 'senders.acme.scheme.headers in svc.config.json has no field "signatur".',
        hint: { text: 'Did you mean "signature"?' },
      }),
    );
  });
});

describe('a sender in the configuration file', () => {
  it('a sender sends the payload without further headers if it says nothing else', () => {
    expect(parseSender({})).toEqual({
      name: 'acme',
      scheme: { ...schemes.svc, name: 'acme' },
      body: 'payload',
      headers: {},
      types: expect.any(RegExp),
      example: 'order.shipped',
      retryDelaysMs: null,
      source: null,
    });
  });

  it('a sender has a body, headers, event types and a retry schedule', () => {
    const sender = parseSender({
      body: 'envelope',
      headers: { 'X-Acme-Topic': '{type}; {attempt}' },
      types: '[a-z]+',
      retry: ['1m', '1h30m'],
      source: 'https://example.com/webhooks',
    });
    expect(sender).toMatchObject({
      body: 'envelope',
      eventIdPath: 'data.id',
      eventTypePath: 'type',
      retryDelaysMs: [60_000, 5_400_000],
    });
    expect(['push', 'Push', 'a.push'].filter((type) => sender?.types.test(type))).toEqual(['push']);
  });

  it.each([
    ['body', { body: 'xml' }],
    ['headers.Content-Type', { headers: { 'Content-Type': 'text/plain' } }],
    ['headers.X-A', { headers: { 'X-A': '{nonce}' } }],
    ['types', { types: '(' }],
    ['retry[0]', { retry: ['soon'] }],
  ])('a sender with an invalid value of %s is refused', (path, fileValue) => {
    expect(() => parseSender(fileValue)).toThrow(`senders.acme.${path}`);
  });

  it.each(['Acme', 'stripe', '__proto__', 'a b'])('a sender cannot have the name %s', (name) => {
    const fileValue = JSON.parse(`{${JSON.stringify(name)}: {}}`);
    expect(() => parseConfigured(customSenders, fileValue, valueLocation)).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        message: `senders.${name} in svc.config.json must have a lowercase name, such as "acme", that differs from the built-in senders.`,
      }),
    );
  });
});

describe('the selected sender', () => {
  const custom = parseConfigured(customSenders, { acme: { scheme: complete } }, valueLocation);
  const choice = { senders: custom };
  const file = { kind: 'file', name: '/a/svc.config.json' };

  it('the selected sender is the sender of the emulator', () => {
    const acme = selectSender({ sender: 'acme', senders: custom });
    expect(resolveRules('relaxed', {}, 'sandbox', acme)).toMatchObject({
      sender: acme,
      signature: acme.scheme,
    });
    const slack = selectSender({ sender: 'slack', senders: {} });
    expect(resolveRules('relaxed', {}, 'sandbox', slack).signature).toBe(schemes.slack);
  });

  it('a sender that does not exist is refused with the closest name', () => {
    expect(() => checkSender({ ...choice, sender: 'acne' }, { kind: 'flag', name: '--sender' })).toThrow(
      expect.objectContaining({
        message: 'Invalid value for --sender: "acne"',
        hint: { text: 'Did you mean "acme"?' },
      }),
    );
  });

  it('a sender that is unlike all others is refused with the field that defines senders', () => {
    expect(() => checkSender({ ...choice, sender: 'quicksilver' }, file)).toThrow(
      expect.objectContaining({
        hint: {
          text: expect.stringContaining(
            'or define a sender with this name in the field senders of svc.config.json.',
          ),
        },
      }),
    );
  });

  it('each sender has a scheme with its name', () => {
    const flag = { kind: 'flag', name: '--scheme' };
    for (const sender of ['acme', 'stripe', 'svc'])
      expect(() => checkSender({ ...choice, sender }, flag)).not.toThrow();
    expect(() => checkSender({ ...choice, sender: 'strip' }, flag)).toThrow(
      expect.objectContaining({
        message: 'Invalid value for --scheme: "strip"',
        hint: { text: 'Did you mean "stripe"?' },
      }),
    );
  });
});
