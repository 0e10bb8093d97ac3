/** Where a text stops being JSON. `JSON.parse` says so in some of its messages only, and differently in each Node. */

const SPACE = /[ \t\r\n]*/y;
const TOKEN =
  /[{}[\],:]|"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

type Expected = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'end';

/** Line and column, both from 1, of the first token of `text` that JSON does not allow there. */
export function locateJsonError(text: string): { readonly line: number; readonly column: number } {
  const before = text.slice(0, findJsonError(text)).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Index of the first token that does not fit; the length of the text when something is missing at its end. */
function findJsonError(text: string): number {
  const closers: string[] = [];
  let expected: Expected | null = 'value';
  let at = skip(text, 0);
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined) return at;
    expected = afterToken(expected, token, closers);
    if (expected === null) return at;
    at = skip(text, at + token.length);
  }
  return at;
}

/** What may follow `token`, or null where it must not stand. Keeps `closers` of what is open. */
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
  return /^[}\],:]$/.test(token) ? null : 'end';
}

function skip(text: string, from: number): number {
  SPACE.lastIndex = from;
  return from + (SPACE.exec(text)?.[0].length ?? 0);
}
