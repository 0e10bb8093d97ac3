import { describe, expect, it } from 'vitest';
import { describeDifference, listChangedBodies } from '../../src/signature/body-changes.ts';

describe('listChangedBodies of a received body', () => {
  it.each(['{"a":1}', 'plain text', '', Buffer.from('{"a":1}'), 'a\r\nb\n'])(
    'the changes of a received body never list the body %j itself',
    (payload) => {
      const variants = [...listChangedBodies(payload, { isReceived: true })];
      expect(variants.length).toBeGreaterThan(2);
      expect(variants.filter(({ body }) => body === payload.toString())).toEqual([]);
    },
  );

  it.each([
    ['data', false],
    ['ZGF0YTEyMw==', true],
    ['hello, world', false],
  ])('a received body %j is decoded from base64: %s', (payload, isDecoded) => {
    const changes = [...listChangedBodies(payload, { isReceived: true })];
    expect(changes.some(({ description }) => description === 'it was decoded from base64')).toBe(isDecoded);
  });
});

describe('listChangedBodies', () => {
  it.each([
    [undefined, ', such as Gson of Java does'],
    ['JavaScript', ''],
    ['Java', ', as Gson of Java does'],
  ] as const)(
    'a body that was serialized without null is described by that, in the language %s by its library',
    (language, expected) => {
      const changes = [...listChangedBodies('{"a":null,"b":"c"}', { language })];
      const found = changes.find(({ body }) => body === '{"b":"c"}');
      expect(found?.description).toBe(`its JSON was parsed and serialized again${expected}`);
    },
  );

  it('a body that several libraries write in the same way is named by that of the language', () => {
    const describe = (language: 'PHP' | undefined) =>
      [...listChangedBodies('{"a":1.0}', { language })].find(({ body }) => body === '{"a":1}')?.description;
    expect([describe(undefined), describe('PHP')]).toEqual([
      'its JSON was parsed and serialized again, as JSON.stringify does',
      'its JSON was parsed and serialized again, as json_encode of PHP does',
    ]);
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
