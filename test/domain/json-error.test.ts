import { describe, expect, it } from 'vitest';
import { locateJsonError } from '../../src/domain/json-error.ts';

describe('locateJsonError', () => {
  it.each([
    ['nothing', '', 1, 1],
    ['a missing value', '{\n  "a": \n}', 3, 1],
    ['a missing comma', '{"a": 1\n "b": 2}', 2, 2],
    ['a missing colon', '{"a" 1}', 1, 6],
    ['a comma at the end of an object', '{"a": 1,}', 1, 9],
    ['a comma at the end of a list', '[1, 2,\n]', 2, 1],
    ['a comma at the start', '[,1]', 1, 2],
    ['a name without quotes', '{a: 1}', 1, 2],
    ['single quotes', "{'a': 1}", 1, 2],
    ['a comment', '{\n  // port\n  "a": 1}', 2, 3],
    ['the wrong closer', '{"a": [1}]', 1, 9],
    ['an open end', '{"a": [1, {"b": 2}', 1, 19],
    ['an open string', '{"a": "b}', 1, 7],
    ['a line break in a string', '["a\nb"]', 1, 2],
    ['an unknown escape', '["\\x"]', 1, 2],
    ['an unknown word', '[true, nil]', 1, 8],
    ['a leading zero', '[01]', 1, 3],
    ['a second document', '{} {}', 1, 4],
  ])('finds %s', (_, text, line, column) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(locateJsonError(text)).toEqual({ line, column });
  });
});
