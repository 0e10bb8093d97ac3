import { describe, expect, it } from 'vitest';
import { describeDifference, listOriginalBodies } from '../../../src/domain/signature/body-changes.ts';

describe('listOriginalBodies', () => {
  it.each(['{"a":1}', 'plain text', '', Buffer.from('{"a":1}'), 'a\r\nb\n'])(
    'listOriginalBodies never lists the body %j itself',
    (payload) => {
      const variants = [...listOriginalBodies(payload)];
      expect(variants.length).toBeGreaterThan(2);
      expect(variants.filter(({ body }) => body === payload.toString())).toEqual([]);
    },
  );

  it.each([
    ['data', false],
    ['ZGF0YTEyMw==', true],
    ['hello, world', false],
  ])('listOriginalBodies decodes %j: %s', (payload, isDecoded) => {
    const changes = [...listOriginalBodies(payload)].map(({ description }) => description);
    expect(changes.includes('it was encoded in base64')).toBe(isDecoded);
  });
});

describe('describeDifference', () => {
  it.each([
    ['abcdef', 'abc', 'it was truncated after byte 3'],
    ['abc', 'abcdef', 'bytes were added after byte 3'],
    ['abc', 'abd', 'from byte 2 on, "c" became "d"'],
    [
      '{"a":1,"b":2}',
      '{ "a": 1, "b": 2 }',
      'its JSON was parsed and serialized again: from byte 1 on, "\\"a\\":1,\\"b\\":2}" became " \\"a\\": 1, \\"b\\": 2 "',
    ],
    ['{"a":1}', '{"a":2}', 'from byte 5 on, "1}" became "2}"'],
  ])('the difference between %j and %j is described', (sent, received, description) => {
    expect(describeDifference(sent, Buffer.from(received))).toBe(description);
  });
});
