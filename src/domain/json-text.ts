/** JSON as its tokens, as they were written. Imports nothing, because the module for signatures loads it. */

/** The tokens of valid JSON. */
export function* tokenize(text: string): Generator<string> {
  const start = /[{}[\],:"]|[^\s{}[\],:"]+/g;
  for (let match = start.exec(text); match !== null; match = start.exec(text)) {
    if (match[0] === '"') start.lastIndex = endOfString(text, match.index);
    yield text.slice(match.index, start.lastIndex);
  }
}

/** Index after the closing quote. Not a regular expression, which fails for strings with millions of escapes. */
function endOfString(text: string, start: number): number {
  let end = start;
  let backslashes = 0;
  do {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
    backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes++;
  } while (backslashes % 2 === 1);
  return end + 1;
}

/** The same JSON text without whitespace between its tokens. `text` must be valid JSON. */
export function compactJson(text: string): string {
  // Most clients send no whitespace.
  return /[ \t\r\n]/.test(text) ? [...tokenize(text)].join('') : text;
}

/** The same JSON with a space after each comma and colon, as `json.dumps` of Python writes it. */
export function addJsonSpaces(text: string): string {
  let result = '';
  for (const token of tokenize(text)) result += token === ',' || token === ':' ? `${token} ` : token;
  return result;
}

/** Escapes all characters outside ASCII, as Python and PHP write JSON. */
export function escapeNonAscii(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, toUnicodeEscape);
}

/** Escapes the characters that are unsafe in HTML, as Go writes JSON. */
export function escapeJsonForHtml(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, toUnicodeEscape);
}

/** `\u00e9` for `é`. @param char one UTF-16 code unit */
export function toUnicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** JSON as a tree with scalars as JSON text (`12.50`, `"a"`, `null`), so that parsing and printing it changes no number. */
export type JsonTree = string | JsonTree[] | Map<string, JsonTree>;

/** The tree of valid JSON text. */
export function parseJsonTree(text: string): JsonTree {
  // Without commas and colons: in valid JSON the order of the other tokens is enough.
  const tokens = tokenize(text);
  const next = (): string => {
    const token = tokens.next().value ?? '';
    return token === ',' || token === ':' ? next() : token;
  };
  const parse = (token: string): JsonTree => {
    if (token === '[') return Array.from(tokensUntil(']'), parse);
    if (token !== '{') return token;
    return new Map(
      Array.from(tokensUntil('}'), (key): [string, JsonTree] => [JSON.parse(key), parse(next())]),
    );
  };
  function* tokensUntil(end: string): Generator<string> {
    for (let token = next(); token !== end && token !== ''; token = next()) yield token;
  }
  return parse(next());
}

/** The text of a tree, without whitespace between its tokens. */
export function serializeJsonTree(tree: JsonTree): string {
  if (typeof tree === 'string') return tree;
  if (Array.isArray(tree)) return `[${tree.map(serializeJsonTree).join(',')}]`;
  return `{${Array.from(tree, ([key, value]) => `${JSON.stringify(key)}:${serializeJsonTree(value)}`).join(',')}}`;
}
