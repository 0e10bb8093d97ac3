/** The tokens of JSON text. */

const BACKSLASH = 92;
/** Each of them is a token (RFC 8259, section 2). */
export const STRUCTURAL_CHARACTERS = '{}[],:';
/** A number, a word, or characters that JSON does not allow. */
const BARE_TOKEN = /[^ \t\r\n{}[\],:"]+/y;

export function tokenize(text: string): string[] {
  const tokens: string[] = [];
  let start = skipSpace(text, 0);
  while (start < text.length) {
    const end = endOfToken(text, start);
    tokens.push(text.slice(start, end));
    start = skipSpace(text, end);
  }
  return tokens;
}

/** Index after the token at `start`: a string, a structural character, or anything else up to one of these or whitespace. */
export function endOfToken(text: string, start: number): number {
  const first = text[start] ?? '';
  if (first === '"') return endOfString(text, start);
  if (STRUCTURAL_CHARACTERS.includes(first)) return start + 1;
  BARE_TOKEN.lastIndex = start;
  return BARE_TOKEN.test(text) ? BARE_TOKEN.lastIndex : start + 1;
}

/** Index after the closing quote; the length of the text if it is missing. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end + 1;
}

/** Whether an odd number of backslashes is in front of a character of a string. */
function isEscaped(text: string, index: number): boolean {
  let start = index;
  while (text.charCodeAt(start - 1) === BACKSLASH) start--;
  return (index - start) % 2 === 1;
}

/** Index of the first character that is not whitespace. */
export function skipSpace(text: string, from: number): number {
  let index = from;
  while (isSpace(text.charCodeAt(index))) index++;
  return index;
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}
