/**
 * JSON as text. A payload reaches the receiver with its numbers as they were written (`12.50`, `1e400`, 2^53 + 1), which
 * a parsed value cannot guarantee. Everything here works on the tokens of the text.
 */
import { SvcError } from '../errors.ts';

/** Deeper documents are rejected: common parsers of receivers fail not far beyond. */
export const MAX_JSON_DEPTH = 128;

export interface JsonObjectText {
  /** The parsed fields, for validation. */
  readonly value: Record<string, unknown>;
  /** The text of a top-level field's value without insignificant whitespace; undefined when there is no such field. */
  memberText(name: string): string | undefined;
}

/**
 * Parses the text of a JSON object.
 * @throws SvcError `invalid_request` when it is not JSON, is not an object, has a field twice (parsers disagree on which
 *   one counts), or nests deeper than {@link MAX_JSON_DEPTH}.
 */
export function parseJsonObject(text: string): JsonObjectText {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SvcError('invalid_request', `The body is not JSON: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SvcError('invalid_request', 'The body must be a JSON object.');
  }
  const members = scanMembers(text);
  return {
    value: value as Record<string, unknown>,
    memberText: (name) => {
      const range = members.get(name);
      return range && compactJson(text.slice(range.start, range.end));
    },
  };
}

/** The same JSON text without whitespace between its tokens. `text` must be valid JSON. */
export function compactJson(text: string): string {
  let compact = '';
  let keptTo = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === charCode.quote) i = endOfString(text, i);
    else if (code <= charCode.space) {
      compact += text.slice(keptTo, i);
      keptTo = i + 1;
    }
  }
  return compact + text.slice(keptTo);
}

/**
 * JSON text indented by two spaces, as `JSON.stringify(…, null, 2)` does it, but with every number and string as it was
 * written. Text that is not JSON is returned unchanged.
 */
export function indentJson(text: string): string {
  if (!isJson(text)) return text;
  let result = '';
  let depth = 0;
  let previous = '';
  for (const token of tokensOf(text)) {
    const closes = token === '}' || token === ']';
    const opened = previous === '{' || previous === '[';
    if (closes) depth--;
    if ((closes && !opened) || (opened && !closes) || previous === ',') result += `\n${'  '.repeat(depth)}`;
    result += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth++;
    previous = token;
  }
  return result;
}

/** The same JSON with a space after each comma and colon, as `json.dumps` of Python writes it. */
export function addJsonSpaces(text: string): string {
  let result = '';
  for (const token of tokensOf(text)) result += token === ',' || token === ':' ? `${token} ` : token;
  return result;
}

/** In ASCII only, as Python and PHP write JSON. */
export function escapeNonAscii(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, toUnicodeEscape);
}

/** Safe to embed in HTML, as Go writes JSON. */
export function escapeHtml(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, toUnicodeEscape);
}

/** `\u00e9` for `é`. */
export function toUnicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON as a tree with scalars as JSON text (`12.50`, `"a"`, `null`), so that parsing and printing it changes no number. */
export type JsonTree = string | JsonTree[] | Map<string, JsonTree>;

/** The tree of valid JSON text. */
export function parseJsonTree(text: string): JsonTree {
  // Without commas and colons: in valid JSON the order of the other tokens is enough.
  const tokens = tokensOf(text);
  const next = (): string => {
    const token = tokens.next().value ?? '';
    return token === ',' || token === ':' ? next() : token;
  };
  const parse = (token: string): JsonTree => {
    if (token === '[') return Array.from(until(']'), parse);
    if (token !== '{') return token;
    return new Map(Array.from(until('}'), (key): [string, JsonTree] => [JSON.parse(key), parse(next())]));
  };
  function* until(end: string): Generator<string> {
    for (let token = next(); token !== end && token !== ''; token = next()) yield token;
  }
  return parse(next());
}

/** The text of a tree, without whitespace between its tokens. */
export function printJsonTree(tree: JsonTree): string {
  if (typeof tree === 'string') return tree;
  if (Array.isArray(tree)) return `[${tree.map(printJsonTree).join(',')}]`;
  return `{${Array.from(tree, ([key, value]) => `${JSON.stringify(key)}:${printJsonTree(value)}`).join(',')}}`;
}

/**
 * Line and column, both from 1, of the first token that JSON does not allow in its place. `JSON.parse` reports them in
 * some of its messages only, and differently in each version of Node.js.
 */
export function locateJsonError(text: string): { readonly line: number; readonly column: number } {
  const before = text.slice(0, findJsonError(text)).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

type Expected = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'end';

/** Index of the first token that is not allowed; the length of the text when something is missing at its end. */
function findJsonError(text: string): number {
  const closers: string[] = [];
  let expected: Expected | null = 'value';
  let start = skipSpace(text, 0);
  while (start < text.length) {
    const token = text.slice(start, endOfToken(text, start));
    const validLength = countValid(token);
    if (validLength === 0) return start;
    expected = afterToken(expected, token, closers);
    if (expected === null) return start;
    if (validLength < token.length) return start + validLength;
    start = skipSpace(text, start + token.length);
  }
  return start;
}

const SCALAR = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/;

/** How many characters of a token JSON allows. */
function countValid(token: string): number {
  if (token.startsWith('"')) return isJson(token) ? token.length : 0;
  return STRUCTURE.includes(token) ? 1 : (SCALAR.exec(token)?.[0].length ?? 0);
}

/** What can follow `token`; null where the token is not allowed. Updates `closers`, the stack of open brackets. */
function afterToken(expected: Expected, token: string, closers: string[]): Expected | null {
  const closes = expected !== 'value' && expected !== 'name' && expected !== 'colon';
  if (closes && token === closers.at(-1)) {
    closers.pop();
    return 'end';
  }
  switch (expected) {
    case 'name':
    case 'first name':
      return token.startsWith('"') ? 'colon' : null;
    case 'colon':
      return token === ':' ? 'value' : null;
    case 'end':
      if (token !== ',' || closers.length === 0) return null;
      return closers.at(-1) === '}' ? 'name' : 'value';
    default:
      return afterValueToken(token, closers);
  }
}

function afterValueToken(token: string, closers: string[]): Expected | null {
  if (token === '{') {
    closers.push('}');
    return 'first name';
  }
  if (token === '[') {
    closers.push(']');
    return 'first value';
  }
  return '}],:'.includes(token) ? null : 'end';
}

interface Range {
  readonly start: number;
  end: number;
}

/** One open object or array during the scan. */
interface Frame {
  readonly keys: Set<string> | null;
  /** The key or index in progress, for messages. */
  position: string | number;
}

/** Ranges of the top-level fields of text that is known to be a valid JSON object. */
function scanMembers(text: string): Map<string, Range> {
  const members = new Map<string, Range>();
  const frames: Frame[] = [];
  let expectsKey = false;
  let member: Range | null = null;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const frame = frames.at(-1);
    if (code === charCode.quote) {
      const end = endOfString(text, i);
      if (expectsKey && frame?.keys) addKey(frames, frame, text.slice(i, end + 1));
      expectsKey = false;
      i = end;
    } else if (code === charCode.colon && frames.length === 1 && frame) {
      member = { start: i + 1, end: i + 1 };
      members.set(String(frame.position), member);
    } else if (code === charCode.openBrace || code === charCode.openBracket) {
      expectsKey = code === charCode.openBrace;
      frames.push({ keys: expectsKey ? new Set() : null, position: 0 });
      if (frames.length > MAX_JSON_DEPTH) {
        throw new SvcError('invalid_request', `The body nests deeper than ${MAX_JSON_DEPTH} levels.`);
      }
    } else if (code === charCode.comma && frame) {
      if (frames.length === 1 && member) member.end = i;
      expectsKey = frame.keys !== null;
      if (typeof frame.position === 'number') frame.position++;
    } else if (code === charCode.closeBrace || code === charCode.closeBracket) {
      if (frames.length === 1 && member) member.end = i;
      frames.pop();
      expectsKey = false;
    }
  }
  return members;
}

function addKey(frames: readonly Frame[], frame: Frame, token: string): void {
  const key: string = token.includes('\\') ? JSON.parse(token) : token.slice(1, -1);
  frame.position = key;
  if (frame.keys?.has(key)) {
    throw new SvcError('invalid_request', `The body has a duplicate field: ${formatPosition(frames)}.`);
  }
  frame.keys?.add(key);
}

/** `payload.items[2].sku` */
function formatPosition(frames: readonly Frame[]): string {
  return frames
    .map(({ position }) => (typeof position === 'number' ? `[${position}]` : `.${position}`))
    .join('')
    .replace(/^\./, '');
}

const STRUCTURE = '{}[],:';
const SPACE = /[ \t\r\n]*/y;
/** A number, a word, or characters that JSON does not allow. */
const BARE = /[^ \t\r\n{}[\],:"]+/y;
const charCode = {
  space: 32,
  quote: 34,
  comma: 44,
  colon: 58,
  openBracket: 91,
  backslash: 92,
  closeBracket: 93,
  openBrace: 123,
  closeBrace: 125,
};

function* tokensOf(text: string): Generator<string, undefined> {
  let end = 0;
  for (let start = skipSpace(text, 0); start < text.length; start = skipSpace(text, end)) {
    end = endOfToken(text, start);
    yield text.slice(start, end);
  }
}

/** Index after the token at `start`: a string, one of `{}[],:`, or anything else up to one of these or whitespace. */
function endOfToken(text: string, start: number): number {
  if (text.charCodeAt(start) === charCode.quote) return endOfString(text, start) + 1;
  if (STRUCTURE.includes(text.charAt(start))) return start + 1;
  BARE.lastIndex = start;
  return start + (BARE.exec(text)?.[0].length ?? 1);
}

/** Index of the closing quote; the length of the text when there is none. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === charCode.backslash) i++;
    else if (code === charCode.quote) return i;
  }
  return text.length;
}

function skipSpace(text: string, from: number): number {
  SPACE.lastIndex = from;
  return from + (SPACE.exec(text)?.[0].length ?? 0);
}
