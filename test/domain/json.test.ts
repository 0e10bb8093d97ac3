import { describe, expect, it } from 'vitest';
import { compactJson, MAX_JSON_DEPTH, parseJsonObject } from '../../src/domain/json.ts';
import { SvcError } from '../../src/errors.ts';

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
  it('keeps the text of every number as it was sent [envelope]', () => {
    const body = '{"type":"a.b","payload":{"a":1e400,"b":9007199254740993,"c":12.50,"d":-0.0,"e":1E+2}}';
    expect(parseJsonObject(body).memberText('payload')).toBe(
      '{"a":1e400,"b":9007199254740993,"c":12.50,"d":-0.0,"e":1E+2}',
    );
  });

  it('drops white space between tokens and keeps it inside strings', () => {
    const body = '{ "payload" : {\n\t"text": "a  b \\" : { c" , "list": [ 1 , 2 ]\r\n} , "type": "a.b" }';
    expect(parseJsonObject(body).memberText('payload')).toBe('{"text":"a  b \\" : { c","list":[1,2]}');
    expect(parseJsonObject(body).memberText('type')).toBe('"a.b"');
    expect(parseJsonObject(body).memberText('other')).toBeUndefined();
  });

  it('keeps escapes as they were written, lone surrogates included', () => {
    expect(parseJsonObject('{"payload":{"a":"\\ud800","b":"\\u00e9"}}').memberText('payload')).toBe(
      '{"a":"\\ud800","b":"\\u00e9"}',
    );
  });

  it('finds a member whose name is written with escapes, and one named __proto__', () => {
    const parsed = parseJsonObject('{"p\\u0061yload":{"x":1},"__proto__":{"y":2}}');
    expect(parsed.memberText('payload')).toBe('{"x":1}');
    expect(parsed.memberText('__proto__')).toBe('{"y":2}');
    expect(Object.keys(parsed.value)).toEqual(['payload', '__proto__']);
  });

  it.each([
    ['', /^invalid_request: The body is not JSON/],
    ['{"a":1', /^invalid_request: The body is not JSON/],
    ['[1]', /must be a JSON object/],
    ['null', /must be a JSON object/],
    ['"text"', /must be a JSON object/],
    ['{"a":1,"a":2}', /twice: a\.$/],
    ['{"payload":{"items":[{},{"sku":1,"\\u0073ku":2}]}}', /twice: payload\.items\[1\]\.sku\.$/],
  ])('refuses %s with one clear message [error.codes]', (body, message) => {
    expect(messageOf(body)).toMatch(message);
  });

  it('takes the same name in different objects', () => {
    expect(messageOf('{"a":{"a":[{"a":1},{"a":2}]},"b":"a"}')).toBe('accepted');
  });

  it('refuses a document nested 10 000 deep and takes one at the limit', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect(messageOf(nested(10_000))).toBe(
      `invalid_request: The body nests deeper than ${MAX_JSON_DEPTH} levels.`,
    );
    expect(messageOf(nested(MAX_JSON_DEPTH))).toBe('accepted');
  });

  it('compacts any JSON to what JSON.stringify prints, where numbers are plain', () => {
    const value = { a: [1, { b: 'x y', c: null }], d: true, 'e f': '\\"\n' };
    expect(compactJson(JSON.stringify(value, null, 4))).toBe(JSON.stringify(value));
  });

  it('keeps a string of any length', () => {
    const text = `{"a":"${'\\n'.repeat(5_000_000)}"}`;
    expect(compactJson(text) === text).toBe(true);
  });
});
