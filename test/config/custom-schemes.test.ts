import { describe, expect, it } from 'vitest';
import { checkScheme, customSchemes, selectScheme, toFileSchemes } from '../../src/config/custom-schemes.ts';
import { schemes } from '../../src/domain/signature/schemes.ts';
import { SvcError } from '../../src/errors.ts';
import { resolveRules } from '../../src/profile/resolve-rules.ts';

const valueLocation = { path: 'svc.config.json: schemes', hint: 'Correct it.' };
const parse = (fileValue: unknown) => customSchemes.parse({ acme: fileValue }, valueLocation).acme;

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
    expect(toFileSchemes(customSchemes.parse({ acme: complete }, valueLocation))).toEqual({ acme: complete });
  });

  it('a scheme with a decoded key has a prefix before the key', () => {
    expect(parse({ key: { form: 'base64' } })).toMatchObject({ key: { form: 'base64', prefix: 'whsec_' } });
    expect(() => parse({ key: { prefix: 'key_' } })).toThrow('schemes.acme.key has no field "prefix"');
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

  it.each<[string, unknown]>([
    ['algorithm must be "sha256", "sha1" or "sha512", not "md5".', { algorithm: 'md5' }],
    ['key.form must be "utf8", "base64" or "hex", not "pem".', { key: { form: 'pem' } }],
    ['key.prefix must be the text before the encoded key, or "",', { key: { form: 'hex', prefix: 7 } }],
    ['content must be a string that contains {body}', { content: '{timestamp}' }],
    ['content must be a string that contains {body}', { content: '{body}.{nonce}' }],
    ['encoding must be "hex" or "base64", not "base32".', { encoding: 'base32' }],
    ['header.prefix must be the text before each signature, or "",', { header: { prefix: 'v1\n' } }],
    ['header.prefix is missing. It must be the text before each signature, or "".', { header: 'v1=' }],
    ['header.separator must be the text between two signatures, or null,', { header: { separator: '' } }],
    ['header.timestamp_field must be the name of the timestamp', { header: { timestamp_field: 't=' } }],
    ['headers.signature must be a header name, not null.', { headers: { signature: null } }],
    ['headers.signature must be a header name,', { headers: { signature: 'Content-Type' } }],
    ['headers.timestamp must be a header name, or null,', { headers: { timestamp: 'a b' } }],
    ['timestamp_format must be "iso8601", "unix" or "unix_ms",', { timestamp_format: 'rfc2822' }],
    ['headers has no field "signatur".', { headers: { signatur: 'X' } }],
    [
      'headers.timestamp must be a header name, because the signed content includes {timestamp}, not null.',
      { headers: { timestamp: null } },
    ],
    [
      'headers.id must be a header name, because the signed content includes {id}, not null.',
      { content: '{id}.{body}', headers: { id: null } },
    ],
    ['headers must be different names,', { headers: { id: 'service-signature' } }],
    [
      "header must be a prefix and a separator with which the signature header can be parsed, not { prefix: 'v1=', separator: 'a', timestamp_field: null }.",
      { header: { separator: 'a' } },
    ],
    ['header must be a prefix and a separator with which', { header: { prefix: 'v1,' } }],
    [
      'header must be a prefix and a separator with which',
      { header: { separator: null, timestamp_field: 't' } },
    ],
  ])('a scheme is refused because %s (%j)', (message, fileValue) => {
    expect(() => parse(fileValue)).toThrow(`svc.config.json: schemes.acme.${message}`);
  });

  it.each(['Acme', 'stripe', '__proto__', 'a b'])('a scheme cannot have the name %s', (name) => {
    const fileValue = JSON.parse(`{${JSON.stringify(name)}: {}}`);
    expect(() => customSchemes.parse(fileValue, valueLocation)).toThrow(
      `a scheme name must be a lowercase name, such as "acme", that differs from the built-in schemes, not ${JSON.stringify(name)}`,
    );
  });
});

describe('the selected scheme', () => {
  const custom = customSchemes.parse({ acme: complete }, valueLocation);
  const choice = { schemes: custom, overrides: {} };
  const file = { kind: 'file', name: '/a/svc.config.json' };

  it('the selected scheme is the scheme of the emulator', () => {
    expect(
      resolveRules('relaxed', {}, 'sandbox', selectScheme({ scheme: 'acme', schemes: custom })).signature,
    ).toBe(custom.acme);
    expect(
      resolveRules('relaxed', {}, 'sandbox', selectScheme({ scheme: 'slack', schemes: {} })).signature,
    ).toBe(schemes.slack);
  });

  it('a scheme that does not exist is refused with the closest name', () => {
    expect(() => checkScheme({ ...choice, scheme: 'acne' }, { kind: 'flag', name: '--scheme' })).toThrow(
      expect.objectContaining({
        message: '--scheme must be one of svc, standard-webhooks, stripe, github, slack, acme, not "acne".',
        hint: 'Did you mean "acme"?',
      }),
    );
  });

  it('the selected scheme and overrides of the scheme svc exclude each other in one file', () => {
    const overrides = { 'signature.content': '{body}' };
    expect(() => checkScheme({ ...choice, overrides, scheme: 'acme' }, file)).toThrow(SvcError);
    expect(() => checkScheme({ ...choice, overrides, scheme: 'svc' }, file)).not.toThrow();
    const tolerance = { 'signature.tolerance': '1m' };
    expect(() => checkScheme({ ...choice, overrides: tolerance, scheme: 'acme' }, file)).not.toThrow();
    expect(() =>
      checkScheme({ ...choice, overrides, scheme: 'acme' }, { kind: 'flag', name: '--scheme' }),
    ).not.toThrow();
  });
});
