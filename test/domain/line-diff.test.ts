import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collapseEqual, diffLines } from '../../src/domain/line-diff.ts';

const draw = (left: string, right: string) =>
  diffLines(left, right).map(({ kind, left, right }) => `${kind} ${left ?? ''}|${right ?? ''}`);

describe('diffLines', () => {
  it('diffLines pairs equal lines, and removed lines with added ones', () => {
    expect(draw('a\nb\nc\nd', 'a\nx\ny\nd\ne')).toEqual([
      'same a|a',
      'changed b|x',
      'changed c|y',
      'same d|d',
      'added |e',
    ]);
  });

  it('diffLines recognizes a line that moved down', () => {
    expect(draw('a\nb', 'new\na\nb')).toEqual(['added |new', 'same a|a', 'same b|b']);
    expect(draw('a\nb\nc', 'c')).toEqual(['removed a|', 'removed b|', 'same c|c']);
  });

  it('diffLines handles equal and empty texts', () => {
    expect(draw('a', 'a')).toEqual(['same a|a']);
    expect(draw('', 'a')).toEqual(['added |a']);
    expect(draw('', '')).toEqual([]);
  });

  it('diffLines reproduces both texts', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', ' ', 'd'), { minLength: 1 })
      .map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (left, right) => {
        const rows = diffLines(left, right);
        const side = (name: 'left' | 'right') => rows.flatMap((row) => row[name] ?? []).join('\n');
        expect([side('left'), side('right')]).toEqual([left, right]);
        expect(rows.every(({ kind, left, right }) => (kind === 'same') === (left === right))).toBe(true);
      }),
    );
  });

  it('diffLines compares only the lines at the same position in texts that are too long', () => {
    const lines = (mark: string) =>
      Array.from({ length: 2_500 }, (_, index) => (index % 2 === 0 ? `${mark}${index}` : `${index}`)).join(
        '\n',
      );
    const rows = diffLines(`start\n${lines('a')}`, `start\n${lines('b')}\nend`);
    expect(rows.length).toBe(2_502);
    expect(rows.slice(0, 4).map(({ kind }) => kind)).toEqual(['same', 'changed', 'same', 'changed']);
    expect(rows.at(-1)?.kind).toBe('added');
  });
});

describe('collapseEqual', () => {
  const rowsOf = (left: string, right: string) => diffLines([...left].join('\n'), [...right].join('\n'));
  const draw = (left: string, right: string) =>
    collapseEqual(rowsOf(left, right), 1).map((row) =>
      row.kind === 'collapsed' ? `(${row.count})` : (row.left ?? '') + (row.right ?? ''),
    );

  it('collapseEqual counts equal lines far from a change and keeps its context', () => {
    expect(draw('abcdefgh', 'abcdXfgh')).toEqual(['(3)', 'dd', 'eX', 'ff', '(2)']);
  });

  it('collapseEqual keeps a single equal line', () => {
    expect(draw('abcd', 'abcX')).toEqual(['(2)', 'cc', 'dX']);
    expect(draw('abc', 'abX')).toEqual(['aa', 'bb', 'cX']);
  });

  it('collapseEqual collapses texts without changes into one row', () => {
    expect(draw('abc', 'abc')).toEqual(['(3)']);
  });
});
