import { describe, expect, it } from 'vitest';
import { findJsonProblem } from '../../src/dashboard/json-problem.ts';
import { MAX_JSON_DEPTH } from '../../src/domain/json.ts';

describe('the problem of a JSON text', () => {
  it.each(['{}', '{"a": 1e400, "b": [12.50]}'])('is none in %s', (text) => {
    expect(findJsonProblem(text)).toBeNull();
  });

  it('is at the first token that does not fit', () => {
    expect(findJsonProblem('{\n  "a": 1,\n}')).toEqual({
      message: '} does not fit here.',
      position: { line: 3, column: 1, index: 12 },
    });
  });

  it.each([
    ['{"a": tru}', 'tru does not fit here.'],
    ['{"a" "b"}', '"b" does not fit here.'],
    ['{"a": "b', '"b does not fit here.'],
    ['{"a": 😀}', '😀 does not fit here.'],
    ['{"a": 1', 'Something is missing at the end.'],
    ['', 'Something is missing at the end.'],
  ])('of %j is told by what stands there', (text, message) => {
    expect(findJsonProblem(text)?.message).toBe(message);
  });

  it('has no place where the whole is to blame', () => {
    const deep = `${'{"a":'.repeat(MAX_JSON_DEPTH + 1)}1${'}'.repeat(MAX_JSON_DEPTH + 1)}`;
    expect(findJsonProblem('[]')).toEqual({ message: 'It must be a JSON object.', position: null });
    expect(findJsonProblem('{"a":{"b":1,"b":2}}')?.message).toBe('It has a duplicate field: a.b.');
    expect(findJsonProblem(deep)?.message).toBe('It nests deeper than 128 levels.');
  });
});
