/** Finds what users read: pages, and the texts in the code. */
import { parseSync } from 'rolldown/utils';
import { listFiles } from './repository-files.ts';

export interface Text {
  /** Without inline code. */
  readonly text: string;
  /** Where the text begins in its file. */
  readonly start: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const PAGE = /^(?:docs|examples)\/.*\.(?:md|py)$|^[A-Z]+\.md$|^fixtures\/.*\.(?:json|ya?ml|md|py)$/;
const CODE = /^(?:src|bin|scripts|examples|fixtures)\/.*\.(?:tsx?|[cm]?js)$/;
/** Written by a tool. */
const GENERATED = /(?:^|\/)package(?:-lock)?\.json$/;

/** Paths relative to the root of the repository, with `/`. */
export function listReadFiles(): string[] {
  return listFiles().filter((file) => (PAGE.test(file) || CODE.test(file)) && !GENERATED.test(file));
}

/** @param file path that decides how the source is read */
export function findTexts(file: string, source: string): Text[] {
  return PAGE.test(file) ? findParagraphs(source) : findStrings(source, file);
}

function findParagraphs(source: string): Text[] {
  const prose = source.replace(/(`+)[^`\n]+\1|\]\([^)]*\)|<[^>\n]*>/g, (code) => ' '.repeat(code.length));
  return Array.from(prose.matchAll(/(?:^.*\S.*\n?)+/gm), ({ index, 0: text }) => ({
    // Without the character that begins a line of a quotation.
    text: text.replace(/\n[ \t]*>/g, (start) => ' '.repeat(start.length)),
    start: index,
  }));
}

function findStrings(source: string, file: string): Text[] {
  const texts: Text[] = [];
  visit(parseSync(file, source).program as unknown as Node, (node) => {
    const text = readLiteral(node, source);
    if (text !== null)
      texts.push({ text: text.replace(/`[^`]*`/g, (code) => ' '.repeat(code.length)), start: node.start });
  });
  return texts;
}

/** The text of a string, of a template, or between two JSX tags; null for any other node. */
function readLiteral(node: Node, source: string): string | null {
  if (node.type === 'JSXText') return source.slice(node.start, node.end);
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type !== 'TemplateLiteral') return null;
  const quasis = node.quasis as { value: { cooked: string | null; raw: string } }[];
  return quasis.map(({ value }) => value.cooked ?? value.raw).join('…');
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
