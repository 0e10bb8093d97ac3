/**
 * The lines of indented JSON as a tree that can be folded and searched. Paths and values come from the text, so that
 * numbers stay as they were written.
 */
import { formatPath, type PathStep } from '../domain/json-path.ts';

export interface JsonLine {
  readonly text: string;
  /** Number of objects and arrays around the line. */
  readonly level: number;
  /** Index of the line that opens the object or array around the line; null at the top level. */
  readonly parent: number | null;
  /** Position among the fields or items of the parent. */
  readonly position: number;
  /** Number of fields or items. */
  readonly count: number;
  /** Index of the line that closes the object or array that this line opens; null when it opens none. */
  readonly end: number | null;
  /** Whether the line only closes an object or array. */
  readonly isClosing: boolean;
}

/** @param text JSON as `indentJson` writes it */
export function toJsonLines(text: string): readonly JsonLine[] {
  const lines: { -readonly [Key in keyof JsonLine]: JsonLine[Key] }[] = [];
  const open: number[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const isClosing = /^\s*[}\]]/.test(line);
    const opening = isClosing ? lines[open.pop() ?? -1] : undefined;
    if (opening !== undefined) opening.end = index;
    const parent = open.at(-1) ?? null;
    const container = isClosing || parent === null ? undefined : lines[parent];
    const position = container?.count ?? 0;
    if (container !== undefined) container.count++;
    lines.push({ text: line, level: open.length, parent, position, count: 0, end: null, isClosing });
    if (/[{[]$/.test(line)) open.push(index);
  }
  return lines;
}

/** Indexes of the lines that are not inside a folded object or array. The closing line of a folded one is inside too. */
export function listShownLines(lines: readonly JsonLine[], folded: ReadonlySet<number>): readonly number[] {
  const shown: number[] = [];
  for (let index = 0; index < lines.length; index++) {
    shown.push(index);
    if (folded.has(index)) index = lines[index]?.end ?? index;
  }
  return shown;
}

/** Indexes of the objects and arrays that have at least `level` others around them. */
export function listFoldable(lines: readonly JsonLine[], level: number): readonly number[] {
  return lines.flatMap((line, index) => (line.end !== null && line.level >= level ? [index] : []));
}

/** Indexes of the lines that open the objects and arrays around a line, from the inside out. */
export function listAncestors(lines: readonly JsonLine[], index: number): readonly number[] {
  const parent = lines[index]?.parent ?? null;
  return parent === null ? [] : [parent, ...listAncestors(lines, parent)];
}

/** Indexes of the lines with `query` in a name or a value, ignoring case. */
export function findJsonLines(lines: readonly JsonLine[], query: string): readonly number[] {
  if (query === '') return [];
  const pattern = toPattern(query);
  return lines.flatMap(({ text }, index) =>
    pattern.test(text) &&
    splitTokens(text).some(({ kind, text }) => kind !== 'punctuation' && pattern.test(text))
      ? [index]
      : [],
  );
}

/** Splits a text at the occurrences of `query`, ignoring case. The pieces with an odd index are the occurrences. */
export function splitAtMatches(text: string, query: string): readonly string[] {
  return query === '' ? [text] : text.split(new RegExp(`(${toPattern(query).source})`, 'i'));
}

function toPattern(query: string): RegExp {
  return new RegExp(query.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'i');
}

export interface JsonToken {
  readonly kind: 'name' | 'string' | 'literal' | 'punctuation';
  readonly text: string;
}

/** A string with the colon that follows if it is a name; or a number, `true`, `false` or `null`. */
const TOKEN = /("(?:[^"\\]|\\.)*")(?=\s*(:)?)|-?\d[\d.eE+-]*|true|false|null/g;

/** The tokens of a line. Spaces belong to the punctuation. */
export function splitTokens(line: string): readonly JsonToken[] {
  const tokens: JsonToken[] = [];
  let end = 0;
  for (const { 0: text, 1: string, 2: colon, index } of line.matchAll(TOKEN)) {
    const kind = string === undefined ? 'literal' : colon === undefined ? 'string' : 'name';
    tokens.push({ kind: 'punctuation', text: line.slice(end, index) }, { kind, text });
    end = index + text.length;
  }
  return [...tokens, { kind: 'punctuation', text: line.slice(end) }];
}

/** The path of a line, such as `data.items[0].sku`; empty for the whole document. */
export function getPath(lines: readonly JsonLine[], index: number): string {
  const indexes = [index, ...listAncestors(lines, index)].reverse();
  return formatPath(indexes.slice(1).map((index) => getStep(lines[index])));
}

const NAME = /^\s*("(?:[^"\\]|\\.)*"):\s/;

function getStep(line: JsonLine | undefined): PathStep {
  const name = NAME.exec(line?.text ?? '')?.[1];
  return name === undefined ? (line?.position ?? 0) : JSON.parse(name);
}

/** The value of a line: the content of a string, and other values as they are written. */
export function getValue(lines: readonly JsonLine[], index: number): string {
  const { end, level } = lines[index] ?? { end: null, level: 0 };
  const [first = '', ...others] = lines
    .slice(index, (end ?? index) + 1)
    .map(({ text }) => text.slice(2 * level));
  const value = [first.replace(NAME, ''), ...others].join('\n').replace(/,$/, '');
  return value.startsWith('"') ? JSON.parse(value) : value;
}
