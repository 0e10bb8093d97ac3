import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indentJson } from '../../src/domain/json-text.ts';

describe('indented JSON', () => {
  it('is what JSON.stringify gives', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  it('keeps numbers and escapes as they were written', () => {
    expect(indentJson('{"a" : 1e400,"b":"\\u00e9"}')).toBe('{\n  "a": 1e400,\n  "b": "\\u00e9"\n}');
  });

  it('leaves other text alone', () => {
    expect(indentJson('a: {b}')).toBe('a: {b}');
  });
});
