import { describe, expect, it } from 'vitest';
import { describeDifference, listChangedBodies } from '../../src/signature/body-changes.ts';

describe('listChangedBodies of a received body', () => {
  it.each(['{"a":1}', 'plain text', '', Buffer.from('{"a":1}'), 'a\r\nb\n'])(
    'the changes of a received body never list the body %j itself',
    (payload) => {
      const variants = [...listChangedBodies(payload, true)];
      expect(variants.length).toBeGreaterThan(2);
      expect(variants.filter(({ body }) => body === payload.toString())).toEqual([]);
    },
  );

  it.each([
    ['data', false],
    ['ZGF0YTEyMw==', true],
    ['hello, world', false],
  ])('a received body %j is decoded from base64: %s', (payload, isDecoded) => {
    const changes = [...listChangedBodies(payload, true)];
    expect(changes.some(({ description }) => description === 'it was decoded from base64')).toBe(isDecoded);
  });
});

it.each([
  ['abcdef', 'abc', 'it was truncated after byte 3'],
  ['abc', 'abcdef', 'bytes were added after byte 3'],
  ['abc', 'abd', 'from byte 2 on, "c" became "d"'],
  [
    '{"a":1,"b":2}',
    '{ "a": 1, "b": 2 }',
    'its JSON is the same, written in another way: from byte 1 on, "\\"a\\":1,\\"b\\":2}" became " \\"a\\": 1, \\"b\\": 2 "',
  ],
  ['{"a":1}', '{"a":2}', 'from byte 5 on, "1}" became "2}"'],
])('the difference between %j and %j is described', (sent, received, description) => {
  expect(describeDifference(sent, Buffer.from(received))).toBe(description);
});
