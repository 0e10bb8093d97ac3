import { describe, expect, it } from 'vitest';
import { findJsonProblem } from '../../src/dashboard/json-problem.ts';
import { MAX_JSON_DEPTH } from '../../src/domain/json-text.ts';

describe('findJsonProblem', () => {
  it.each(['{}', '{"a": 1e400, "b": [12.50]}'])('findJsonProblem returns null for %s', (text) => {
    expect(findJsonProblem(text)).toBeNull();
  });

  it('findJsonProblem locates the first unexpected token', () => {
    expect(findJsonProblem('{\n  "a": 1,\n}')).toEqual({
      message: 'Unexpected }.',
      position: { line: 3, column: 1, index: 12 },
    });
  });

  it.each([
    ['{"a": tru}', 'Unexpected tru.'],
    ['{"a" "b"}', 'Unexpected "b".'],
    ['{"a": "b', 'Unexpected "b.'],
    ['{"a": 😀}', 'Unexpected 😀.'],
    ['{"a": 1', 'Unexpected end of input.'],
    ['', 'Unexpected end of input.'],
  ])('findJsonProblem names the unexpected token of %j', (text, message) => {
    expect(findJsonProblem(text)?.message).toBe(message);
  });

  it('findJsonProblem has no position when the whole text is invalid', () => {
    const deep = `${'{"a":'.repeat(MAX_JSON_DEPTH + 1)}1${'}'.repeat(MAX_JSON_DEPTH + 1)}`;
    expect(findJsonProblem('[]')).toEqual({ message: 'Must be a JSON object.', position: null });
    expect(findJsonProblem('{"a":{"b":1,"b":2}}')?.message).toBe('Duplicate field: a.b.');
    expect(findJsonProblem(deep)?.message).toBe('Nested more than 128 levels deep.');
  });
});
