import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SvcError } from '../../src/domain/errors.ts';
import {
  compactJson,
  indentJson,
  locateJsonError,
  MAX_JSON_DEPTH,
  parseJsonObject,
} from '../../src/domain/json-text.ts';

const messageOf = (text: string): string => {
  try {
    parseJsonObject(text);
  } catch (error) {
    if (error instanceof SvcError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'accepted';
};

describe('parseJsonObject', () => {
  it('parseJsonObject keeps the text of every number [envelope]', () => {
    const body = '{"type":"a.b","payload":{"a":1e400,"b":9007199254740993,"c":12.50,"d":-0.0,"e":1E+2}}';
    expect(parseJsonObject(body).fieldText('payload')).toBe(
      '{"a":1e400,"b":9007199254740993,"c":12.50,"d":-0.0,"e":1E+2}',
    );
  });

  it('parseJsonObject drops white space between tokens and keeps it inside strings', () => {
    const body = '{ "payload" : {\n\t"text": "a  b \\" : { c" , "list": [ 1 , 2 ]\r\n} , "type": "a.b" }';
    expect(parseJsonObject(body).fieldText('payload')).toBe('{"text":"a  b \\" : { c","list":[1,2]}');
    expect(parseJsonObject(body).fieldText('type')).toBe('"a.b"');
    expect(parseJsonObject(body).fieldText('other')).toBeUndefined();
  });

  it('parseJsonObject keeps the text of escapes, including lone surrogates', () => {
    expect(parseJsonObject('{"payload":{"a":"\\ud800","b":"\\u00e9"}}').fieldText('payload')).toBe(
      '{"a":"\\ud800","b":"\\u00e9"}',
    );
  });

  it('parseJsonObject finds a field whose name is written with escapes, and a field named __proto__', () => {
    const parsed = parseJsonObject('{"p\\u0061yload":{"x":1},"__proto__":{"y":2}}');
    expect(parsed.fieldText('payload')).toBe('{"x":1}');
    expect(parsed.fieldText('__proto__')).toBe('{"y":2}');
    expect(Object.keys(parsed.value)).toEqual(['payload', '__proto__']);
  });

  it.each([
    ['', /^invalid_request: The body is not JSON/],
    ['{"a":1', /^invalid_request: The body is not JSON/],
    ['[1]', /must be a JSON object/],
    ['null', /must be a JSON object/],
    ['"text"', /must be a JSON object/],
    ['{"a":1,"a":2}', /duplicate field: a\.$/],
    ['{"payload":{"items":[{},{"sku":1,"\\u0073ku":2}]}}', /duplicate field: payload\.items\[1\]\.sku\.$/],
    ['{"items":[0,1,{"sku":1,"sku":2}]}', /duplicate field: items\[2\]\.sku\.$/],
  ])('parseJsonObject refuses %j with one clear message [error.codes]', (body, message) => {
    expect(messageOf(body)).toMatch(message);
  });

  it('parseJsonObject accepts the same name in different objects', () => {
    expect(messageOf('{"a":{"a":[{"a":1},{"a":2}]},"b":"a"}')).toBe('accepted');
    expect(messageOf('{"a":{"b":{}},"b":{"a":"b"}}')).toBe('accepted');
  });

  it('parseJsonObject accepts the same text several times in an array', () => {
    expect(messageOf('{"a":["b","b","b"],"c":[["b"],"b","b"]}')).toBe('accepted');
  });

  it('parseJsonObject accepts an object without fields', () => {
    expect(parseJsonObject(' { } ').value).toEqual({});
  });

  it('parseJsonObject returns the text of every field as JSON.stringify writes it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const { fieldText } = parseJsonObject(JSON.stringify(value, null, 2));
        for (const [name, field] of Object.entries(value))
          expect(fieldText(name)).toBe(JSON.stringify(field));
      }),
    );
  });

  it('parseJsonObject refuses a document with 10 000 levels and accepts a document at the limit', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect(messageOf(nested(10_000))).toBe(
      `invalid_request: The body is nested more than ${MAX_JSON_DEPTH} levels deep.`,
    );
    expect(messageOf(nested(MAX_JSON_DEPTH))).toBe('accepted');
  });

  it('compactJson prints any JSON as JSON.stringify does if the numbers are plain', () => {
    const value = { a: [1, { b: 'x y', c: null }], d: true, 'e f': '\\"\n' };
    expect(compactJson(JSON.stringify(value, null, 4))).toBe(JSON.stringify(value));
  });

  it('compactJson keeps a string of any length', () => {
    const text = `{"a":"${'\\n'.repeat(5_000_000)}"}`;
    expect(compactJson(text) === text).toBe(true);
  });
});

it.each([
  ['the end of an empty text', '', 1, 1],
  ['a missing value', '{\n  "a": \n}', 3, 1],
  ['a missing comma', '{"a": 1\n "b": 2}', 2, 2],
  ['a comma at the end of an object', '{"a": 1,}', 1, 9],
  ['a name without quotes', '{a: 1}', 1, 2],
  ['a comment', '{\n  // port\n  "a": 1}', 2, 3],
  ['a string without an end', '{"a": "b}', 1, 7],
  ['an unknown escape', '["\\x"]', 1, 2],
  ['a second document', '{} {}', 1, 4],
  ['a number as a name in an inner object', '[[{"a": 1, 2: 3}]]', 1, 12],
])('locateJsonError finds %s', (_, text, line, column) => {
  expect(() => JSON.parse(text)).toThrow();
  const { index, ...position } = locateJsonError(text);
  expect(position).toEqual({ line, column });
  expect(text.slice(0, index).split('\n').at(-1)).toHaveLength(column - 1);
});

describe('indentJson', () => {
  it('indentJson prints what JSON.stringify prints', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  it('indentJson keeps the text of numbers and escapes', () => {
    expect(indentJson('{"a" : 1e400,"b":"\\u00e9"}')).toBe('{\n  "a": 1e400,\n  "b": "\\u00e9"\n}');
  });

  it('indentJson does not change other text', () => {
    expect(indentJson('a: {b}')).toBe('a: {b}');
  });
});
