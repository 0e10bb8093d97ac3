import { isJson } from './json.ts';
import { endOfToken, STRUCTURAL_CHARACTERS, skipSpace } from './json-tokens.ts';

/**
 * Line and column, both counted from 1, of the first text that JSON does not allow in its place. `JSON.parse` reports them only
 * in some of its messages, and differently in each version of Node.js.
 */
export function locateJsonError(text: string): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, findJsonError(text)).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/**
 * What the next token must be. A first value or key can also be the end of an empty array or object. `end` is a comma or a
 * closing bracket; outside all brackets, nothing.
 */
type Expected = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'end';

/**
 * Index of the first text that is not allowed, such as a string that does not end; the length of the text if a token is missing
 * at its end.
 */
function findJsonError(text: string): number {
  const expectedClosings: string[] = [];
  let expected: Expected | null = 'value';
  let start = skipSpace(text, 0);
  while (start < text.length) {
    const token = text.slice(start, endOfToken(text, start));
    const validLength = countValidChars(token);
    expected = acceptToken(expected, token, expectedClosings);
    if (expected === null) return start;
    if (validLength < token.length) return start + validLength;
    start = skipSpace(text, start + token.length);
  }
  return start;
}

const SCALAR = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/;

/** Number of characters at the start of a token that JSON allows; 0 for an invalid string. */
function countValidChars(token: string): number {
  const isValid = STRUCTURAL_CHARACTERS.includes(token) || isJson(token);
  return isValid ? token.length : (SCALAR.exec(token)?.[0].length ?? 0);
}

/**
 * Accepts `token` if `expected` allows it, and updates `expectedClosings`, the closing brackets that are still expected.
 * @returns what can follow the token; null if the token is not allowed.
 */
function acceptToken(expected: Expected, token: string, expectedClosings: string[]): Expected | null {
  const canClose = expected !== 'value' && expected !== 'key' && expected !== 'colon';
  if (canClose && token === expectedClosings.at(-1)) {
    expectedClosings.pop();
    return 'end';
  }
  switch (expected) {
    case 'key':
    case 'first key':
      return token.startsWith('"') ? 'colon' : null;
    case 'colon':
      return token === ':' ? 'value' : null;
    case 'end':
      if (token !== ',' || expectedClosings.length === 0) return null;
      return expectedClosings.at(-1) === '}' ? 'key' : 'value';
    default:
      if (token === '{' || token === '[') {
        expectedClosings.push(token === '{' ? '}' : ']');
        return token === '{' ? 'first key' : 'first value';
      }
      return '}],:'.includes(token) ? null : 'end';
  }
}
