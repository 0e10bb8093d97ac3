/** Finds everything in the repository that people read: pages, comments, strings, test titles and names. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { listFiles, root } from './repository-files.ts';

export type Kind = 'page' | 'comment' | 'string' | 'title' | 'name';

export interface Text {
  readonly kind: Kind;
  /** On one line, without inline code. */
  readonly text: string;
  /** Where the text begins in its file. */
  readonly start: number;
}

export interface FileTexts {
  /** Relative to the root of the repository, with `/`. */
  readonly file: string;
  readonly source: string;
  readonly texts: readonly Text[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const PAGE = /^(?:docs|examples)\/.*\.(?:md|py)$|^[A-Z]+\.md$|^fixtures\/.*\.(?:json|ya?ml|md|py)$/;
const CODE = /^(?:src|bin|scripts|bench|examples|fixtures|docs|test)\/.*\.(?:tsx?|[cm]?js)$/;
const STYLES = /^src\/.*\.css$/;
/** Written by tools. */
const GENERATED = /(?:^|\/)package(?:-lock)?\.json$|__snapshots__\//;

/** @param isWanted selects files by their paths relative to the root */
export function readTexts(isWanted: (file: string) => boolean): FileTexts[] {
  return listFiles()
    .filter((file) => [PAGE, CODE, STYLES].some((pattern) => pattern.test(file)))
    .filter((file) => !GENERATED.test(file) && isWanted(file))
    .map((file) => findTexts(file, readFileSync(join(root, file), 'utf8')));
}

/** @param file path that decides how the source is read */
export function findTexts(file: string, source: string): FileTexts {
  const find = PAGE.test(file) ? findInPage : STYLES.test(file) ? findInStyles : findInCode;
  return { file, source, texts: [{ kind: 'name', text: file, start: 0 }, ...find(source, file)] };
}

/** One text for each paragraph. */
function findInPage(source: string): Text[] {
  const prose = source.replace(/(`+)[^`\n]+\1|\]\([^)]*\)|<[^>\n]*>/g, blank);
  return findAll(/(?:^.*\S.*\n?)+/gm, prose, 'page', joinLines);
}

function findInStyles(source: string): Text[] {
  return [
    ...findAll(/\/\*[\s\S]*?\*\//g, source, 'comment'),
    ...findAll(/(?<=[.#]|--)[a-z][\w-]+/g, source, 'name'),
  ];
}

function findAll(pattern: RegExp, source: string, kind: Kind, clean = toOneLine): Text[] {
  return [...source.matchAll(pattern)].map(({ index, 0: text }) => ({
    kind,
    text: clean(text),
    start: index,
  }));
}

function findInCode(source: string, file: string): Text[] {
  const { program, comments } = parseSync(file, source);
  const texts: Text[] = joinAdjacent(source, comments).map(({ start, end }) => ({
    kind: 'comment',
    text: toOneLine(source.slice(start, end)),
    start,
  }));
  const titles = new Set<unknown>();
  const names = new Map<string, Text>();
  visit(program as unknown as Node, (node) => {
    const { type, start } = node;
    if (type === 'CallExpression' && isTest(node.callee as Node)) titles.add((node.arguments as Node[])[0]);
    const text = readLiteral(node, source);
    if (text !== null) texts.push({ kind: titles.has(node) ? 'title' : 'string', text, start });
    const name = /^(?:Private|JSX)?Identifier$/.test(type) ? String(node.name) : null;
    if (name !== null && !names.has(name)) names.set(name, { kind: 'name', text: name, start });
  });
  return [...texts, ...names.values()];
}

/** `it`, `test.each(table)`, `it.skipIf(condition)` and so on. The title of a `describe` is a subject, not a sentence. */
function isTest({ type, name, object, callee, tag }: Node): boolean {
  if (type === 'Identifier') return name === 'it' || name === 'test';
  const inner = object ?? callee ?? tag;
  return inner !== undefined && isTest(inner as Node);
}

/** The text of a string, of a template, or between two JSX tags; null for any other node. */
function readLiteral(node: Node, source: string): string | null {
  if (node.type === 'JSXText') return toOneLine(source.slice(node.start, node.end));
  if (node.type === 'Literal' && typeof node.value === 'string') return toOneLine(node.value);
  if (node.type !== 'TemplateLiteral') return null;
  const quasis = node.quasis as { value: { cooked: string | null; raw: string } }[];
  return toOneLine(quasis.map(({ value }) => value.cooked ?? value.raw).join('…'));
}

function visit(node: Node, onNode: (node: Node) => void): void {
  onNode(node);
  for (const key in node) {
    const value = node[key];
    if (typeof value !== 'object' || value === null) continue;
    // The path of an import.
    if (key === 'source' && /^(?:Import|Export)/.test(node.type)) continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') visit(child, onNode);
    }
  }
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Joins the comments of adjacent lines, because sentences continue from one to the next. */
function joinAdjacent(source: string, comments: readonly Range[]): Range[] {
  const joined: Range[] = [];
  for (const { start, end } of comments) {
    const last = joined.at(-1);
    if (last && /^\s*$/.test(source.slice(last.end, start))) joined.splice(-1, 1, { start: last.start, end });
    else joined.push({ start, end });
  }
  return joined;
}

/** One line, without the code between backticks. */
function toOneLine(text: string): string {
  return joinLines(text).replace(/`[^`]*`/g, blankAll);
}

/** Replaces line breaks, and the characters that begin a line of a comment or a quotation, with spaces. */
function joinLines(text: string): string {
  return text.replace(/\n[ \t]*(?:\*(?!\*)\/?|\/\/|>)?/g, blankAll);
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}

function blankAll(text: string): string {
  return ' '.repeat(text.length);
}
