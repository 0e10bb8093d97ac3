import { describe, expect, it } from 'vitest';
import { listShownLines, toJsonLines } from '../../src/dashboard/json-lines.ts';
import { indentJson } from '../../src/domain/json.ts';

const text = indentJson('{"a":[1,{"b":"{"}],"c":{},"d":"]"}');

describe('toJsonLines', () => {
  it('toJsonLines finds the closing line of every object and array, and ignores brackets in strings', () => {
    const lines = toJsonLines(text);
    expect(lines.map(({ text }) => text).join('\n')).toBe(text);
    expect(lines.flatMap(({ end }, index) => (end === null ? [] : [[index, end]]))).toEqual([
      [0, lines.length - 1],
      [1, 6],
      [3, 5],
    ]);
  });
});

describe('listShownLines', () => {
  it('listShownLines omits the content and the closing line of what is folded', () => {
    const lines = toJsonLines(text);
    expect(listShownLines(lines, new Set([1]))).toEqual([0, 1, 7, 8, 9]);
    expect(listShownLines(lines, new Set([0, 3]))).toEqual([0]);
    expect(listShownLines(lines, new Set())).toEqual(lines.map((_, index) => index));
  });
});
