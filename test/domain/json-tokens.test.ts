import fc from 'fast-check';
import { expect, it } from 'vitest';
import { endOfToken, tokenize } from '../../src/domain/json-tokens.ts';

it('the tokens of JSON are its text without the white space between them', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const tokens = [...tokenize(JSON.stringify(value, null, '\t'))];
      expect(tokens.join('')).toBe(JSON.stringify(value));
    }),
  );
});

it.each([
  ['', []],
  [' \r\n', []],
  [' {"a b": [1e5,true] } ', ['{', '"a b"', ':', '[', '1e5', ',', 'true', ']', '}']],
  ['"\\"" "\\\\" "\\\\\\""', ['"\\""', '"\\\\"', '"\\\\\\""']],
  ["a:'b'", ['a', ':', "'b'"]],
  ['["a, 1]', ['[', '"a, 1]']],
])('the tokens of %j are %j', (text, tokens) => {
  const found: string[] = [];
  // With a limit, because text without an end must not be read forever.
  for (const token of tokenize(text)) if (found.push(token) > 20) break;
  expect(found).toEqual(tokens);
});

it.each([
  ['"a"', 3],
  ['"a\\"b"', 6],
  ['"abc', 4],
  ['"abc\\"', 6],
  ['"', 1],
])('the string %s ends at %d, at the end of the text without a closing quote', (text, end) => {
  expect(endOfToken(text, 0)).toBe(end);
});
