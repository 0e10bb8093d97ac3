import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { decodeBody } from '../../src/platform/decode-body.ts';

const text = Buffer.from('{"error":"Invalid signature"}');

it.each<[string, (body: Buffer) => Buffer]>([
  ['gzip', gzipSync],
  [' X-GZIP ', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['', (body) => body],
  ['identity', (body) => body],
  ['zstd', (body) => body],
])('decodeBody returns the text of a body with the content encoding %j', (encoding, encode) => {
  expect(decodeBody(encode(text), encoding).toString()).toBe(text.toString());
});

it.each<[string, (body: Buffer) => Buffer]>([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
])('decodeBody returns the beginning of a truncated body in %s', (encoding, encode) => {
  const long = Buffer.from(Array.from({ length: 20_000 }, (_, index) => index).join(' '));
  const compressed = encode(long);
  const decoded = decodeBody(compressed.subarray(0, compressed.length / 2), encoding).toString();
  expect(decoded.length).toBeGreaterThan(1_000);
  expect(long.toString().startsWith(decoded)).toBe(true);
});

it.each([
  ['is not compressed', text],
  ['becomes larger than 1 MiB', gzipSync(Buffer.alloc(1024 * 1024 + 1))],
])('decodeBody returns the same bytes of a body that %s', (_, body) => {
  expect(decodeBody(body, 'gzip')).toBe(body);
});
