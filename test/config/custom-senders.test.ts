import { describe, expect, it } from 'vitest';
import { checkSender, customSenders, selectSender } from '../../src/config/custom-senders.ts';
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

  it('a scheme with a decoded key has a prefix before the key', () => {
    expect(parse({ key: { form: 'base64' } })).toMatchObject({ key: { form: 'base64', prefix: 'whsec_' } });
    expect(parse({ key: { form: 'base64', prefix: null } })).toMatchObject({ key: { prefix: '' } });
  });

  it('a scheme whose key is the text of the secret can have a prefix before the key', () => {
    expect(parse({ key: { prefix: 'key_' } })).toMatchObject({ key: { form: 'utf8', prefix: 'key_' } });
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

  it('a built-in scheme is named', () => {
    expect(parse('stripe')).toBe(schemes.stripe);
  });
});

describe('a sender in the configuration file', () => {
  it('a sender sends the payload without further headers if it says nothing else', () => {
    expect(parseSender({})).toEqual({
      name: 'acme',
      scheme: { ...schemes.svc, name: 'acme' },
      body: 'payload',
      headers: {},
      hasLargeBodies: true,
      types: expect.any(RegExp),
      example: 'order.shipped',
      retryDelaysMs: null,
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
      source: 'https://example.com/webhooks',
    });
    expect(['push', 'Push', 'a.push'].filter((type) => sender?.types.test(type))).toEqual(['push']);
  });
});

describe('the selected sender', () => {
  const custom = parseConfigured(customSenders, { acme: { scheme: complete } }, valueLocation);
  const flag = { path: '--sender', toHint: String };

  it('the selected sender is the sender of the emulator', () => {
    const acme = selectSender('acme', custom);
    expect(resolveRules('relaxed', {}, 'sandbox', acme)).toMatchObject({
      sender: acme,
      signature: acme.scheme,
    });
    const slack = selectSender('slack', {});
    expect(resolveRules('relaxed', {}, 'sandbox', slack).signature).toBe(schemes.slack);
  });

  it('a sender that does not exist is refused with the closest name', () => {
    expect(() => checkSender('acne', custom, flag)).toThrow(
      expect.objectContaining({
        message: 'Invalid value for --sender: "acne"',
        hint: { text: 'Did you mean "acme"?' },
      }),
    );
  });

  it('a sender that is unlike all others is refused with the field that defines senders', () => {
    expect(() => checkSender('quicksilver', custom, flag)).toThrow(
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
    for (const sender of ['acme', 'stripe', 'svc'])
      expect(() => checkSender(sender, custom, flag)).not.toThrow();
  });
});
