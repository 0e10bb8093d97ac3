import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findJsonLines,
  getPath,
  getValue,
  listAncestors,
  listFoldable,
  listShownLines,
  splitAtMatches,
  splitTokens,
  toJsonLines,
} from '../../src/dashboard/json-lines.ts';
import { compactJson, indentJson } from '../../src/domain/json.ts';
import { getAtPath, parsePath } from '../../src/domain/json-path.ts';
import { parseJsonTree, serializeJsonTree } from '../../src/domain/json-tree.ts';

const text = indentJson('{"a":[1,{"b":"{"}],"c":{},"d":"]"}');
const lines = toJsonLines(text);

describe('toJsonLines', () => {
  it('toJsonLines finds the closing line of every object and array, and ignores brackets in strings', () => {
    expect(lines.map(({ text }) => text).join('\n')).toBe(text);
    expect(lines.flatMap(({ end }, index) => (end === null ? [] : [[index, end]]))).toEqual([
      [0, lines.length - 1],
      [1, 6],
      [3, 5],
    ]);
  });

  it('toJsonLines finds the parent, the level and the position of every line, and counts fields and items', () => {
    expect(lines.map(({ parent }) => parent)).toEqual([null, 0, 1, 1, 3, 1, 0, 0, 0, null]);
    expect(lines.map(({ level }) => level)).toEqual([0, 1, 2, 2, 3, 2, 1, 1, 1, 0]);
    const opened = lines.filter(({ isClosing }) => !isClosing);
    expect(opened.map(({ position }) => position)).toEqual([0, 0, 0, 1, 0, 1, 2]);
    expect(opened.map(({ count }) => count)).toEqual([3, 2, 0, 1, 0, 0, 0]);
    expect(listAncestors(lines, 4)).toEqual([3, 1, 0]);
  });
});

describe('listShownLines', () => {
  it('listShownLines omits the content and the closing line of what is folded', () => {
    expect(listShownLines(lines, new Set([1]))).toEqual([0, 1, 7, 8, 9]);
    expect(listShownLines(lines, new Set([0, 3]))).toEqual([0]);
    expect(listShownLines(lines, new Set())).toEqual(lines.map((_, index) => index));
  });

  it('listFoldable selects the objects and arrays from a level on', () => {
    expect(listFoldable(lines, 0)).toEqual([0, 1, 3]);
    expect(listFoldable(lines, 2)).toEqual([3]);
    expect(listFoldable(lines, 3)).toEqual([]);
  });
});

describe('findJsonLines', () => {
  const shipment = toJsonLines(
    indentJson('{"SKU.1":"Tea, green","price":12.50,"tags":[true,"sku"],"a*":null}'),
  );
  const find = (query: string) => findJsonLines(shipment, query).map((index) => getPath(shipment, index));

  it('findJsonLines finds names and values, ignoring case', () => {
    expect(find('sku')).toEqual(['["SKU.1"]', 'tags[1]']);
    expect(find('12.50')).toEqual(['price']);
    expect(find('tea, G')).toEqual(['["SKU.1"]']);
    expect(find('"sku"')).toEqual(['tags[1]']);
    expect(find('')).toEqual([]);
  });

  it('findJsonLines treats the query as text, and ignores brackets and spaces between names and values', () => {
    expect(find('a*')).toEqual(['a*']);
    expect(find('.1')).toEqual(['["SKU.1"]']);
    expect(find('[')).toEqual([]);
    expect(find(': ')).toEqual([]);
  });

  it('splitAtMatches returns the occurrences at odd positions', () => {
    expect(splitAtMatches('"Tea, tea"', 'tea')).toEqual(['"', 'Tea', ', ', 'tea', '"']);
    expect(splitAtMatches('"a+b"', 'A+B')).toEqual(['"', 'a+b', '"']);
    expect(splitAtMatches('12', '')).toEqual(['12']);
  });

  it('splitTokens tells names from strings that contain a colon', () => {
    const tokens = splitTokens('  "a\\": ": "b: ",').filter(({ kind }) => kind !== 'punctuation');
    expect(tokens).toEqual([
      { kind: 'name', text: '"a\\": "' },
      { kind: 'string', text: '"b: "' },
    ]);
  });
});

describe('getPath and getValue', () => {
  it('getPath and getValue keep the text of numbers, and return the content of a string', () => {
    const lines = toJsonLines(indentJson('{"data":{"items":[{"sku":"A\\n\\u00e9","price":12.50}]}}'));
    const valueAt = (path: string) =>
      getValue(
        lines,
        lines.findIndex(({ isClosing }, index) => !isClosing && getPath(lines, index) === path),
      );
    expect(valueAt('data.items[0].sku')).toBe('A\né');
    expect(valueAt('data.items[0].price')).toBe('12.50');
    expect(valueAt('data.items[0]')).toBe('{\n  "sku": "A\\n\\u00e9",\n  "price": 12.50\n}');
    expect(valueAt('')).toBe(lines.map(({ text }) => text).join('\n'));
  });

  it('getPath and getValue agree with the paths of svc for every line of any object', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const json = JSON.stringify(value);
        const tree = parseJsonTree(json);
        const lines = toJsonLines(indentJson(json));
        for (const [index, { isClosing }] of lines.entries()) {
          const path = getPath(lines, index);
          if (isClosing || path === '') continue;
          const expected = serializeJsonTree(getAtPath(tree, parsePath(path)) ?? '');
          const value = getValue(lines, index);
          expect(expected.startsWith('"') ? JSON.stringify(value) : compactJson(value)).toBe(expected);
        }
      }),
    );
  });
});
