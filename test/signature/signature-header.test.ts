import { describe, expect, it } from 'vitest';
import type { SignatureScheme } from '../../src/signature/scheme.ts';
import { schemes } from '../../src/signature/schemes.ts';
import {
  describeHeaderFormat,
  formatTimestamp,
  parseSignatureHeader,
  parseTimestamp,
  readSignatureHeaders,
} from '../../src/signature/signature-header.ts';

const { svc, stripe, github } = schemes;
const digest = '0123456789abcdef'.repeat(4);

describe('parseSignatureHeader', () => {
  it.each<[string, SignatureScheme, header: string, digests: string[], otherVersions: string[]]>([
    ['one digest', svc, `v1=${digest}`, [digest], []],
    ['a digest beside later versions', svc, `v2=00, v1=${digest},v3=11`, [digest], ['v2', 'v3']],
    ['uppercase hex', svc, `v1=${digest.toUpperCase()}`, [], []],
    ['a version without its digest', svc, 'v2x', [], []],
    ['a part without a version', svc, `x=1,v1=${digest}`, [digest], []],
  ])('parseSignatureHeader reads %s', (_, scheme, header, digests, otherVersions) => {
    expect(parseSignatureHeader(scheme, header)).toEqual({ timestamp: null, digests, otherVersions });
  });

  it('parseSignatureHeader reads the timestamp only if the scheme has it in this header', () => {
    expect(parseSignatureHeader(stripe, `v1=${digest},t=1795215960`).timestamp).toBe('1795215960');
    expect(parseSignatureHeader(svc, `null=1795215960,v1=${digest}`).timestamp).toBeNull();
  });

  it('parseSignatureHeader does not split a header without a separator', () => {
    const base64 = `null${'A'.repeat(39)}=`;
    const scheme = { ...github, encoding: 'base64' as const };
    expect(parseSignatureHeader(scheme, `sha256=${base64}`).digests).toEqual([base64]);
  });
});

it('readSignatureHeaders reads only the headers of the scheme', () => {
  const request = new Headers({
    'X-Hub-Signature-256': 'sha256=1',
    'X-GitHub-Delivery': '7',
    null: 'none',
  });
  expect(readSignatureHeaders(github, request)).toEqual({
    signature: 'sha256=1',
    timestamp: null,
    id: '7',
  });
});

it.each<[string, SignatureScheme]>([
  ['v1=<64 lowercase hex characters>', svc],
  ['v1=<40 lowercase hex characters>', { ...svc, algorithm: 'sha1' }],
  ['v1=<128 lowercase hex characters>', { ...svc, algorithm: 'sha512' }],
  ['t=<timestamp>,v1=<64 lowercase hex characters>', stripe],
  ['v1,<44 base64 characters>', schemes['standard-webhooks']],
  ['v1,<28 base64 characters>', { ...schemes['standard-webhooks'], algorithm: 'sha1' }],
])('the format of a signature header is %s', (format, scheme) => {
  expect(describeHeaderFormat(scheme)).toBe(format);
});

describe('timestamps', () => {
  const ms = Date.parse('2026-11-20T23:06:00.999Z');

  it.each<[SignatureScheme['timestampFormat'], string]>([
    ['iso8601', '2026-11-20T23:06:00Z'],
    ['unix', '1795215960'],
    ['unix_ms', '1795215960999'],
  ])('formatTimestamp rounds a time in the format %s down', (format, text) => {
    expect(formatTimestamp(format, ms + 0.9)).toBe(text);
  });

  it.each<[string, number | null]>([
    ['2026-11-20T23:06:00Z', 1795215960000],
    ['2026-11-20T23:06:00.25+01:00', 1795212360250],
    ['1795215960', 1795215960000],
    ['99999999999', 99999999999000],
    ['100000000000', 100000000000],
    ['99999999999999', 99999999999999],
    ['100000000000000', null],
    ['2026-11-20', null],
    ['2026-11-20T23:06:00', null],
    ['2026-13-20T23:06:00Z', null],
    ['Fri, 20 Nov 2026 23:06:00 GMT', null],
    ['-1', null],
    ['', null],
  ])('parseTimestamp reads %j as %j', (text, expected) => {
    expect(parseTimestamp(text)).toBe(expected);
  });
});
