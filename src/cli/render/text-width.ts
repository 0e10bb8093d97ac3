/** Measures, truncates and wraps text by terminal columns: wide characters and emoji take two, colors none. */
import stringWidth from 'string-width';
import type { TerminalCapabilities } from '../process-context.ts';
import { sanitizeLine } from '../terminal-text.ts';

/** Printable ASCII: each character takes one column. */
const PLAIN_TEXT = /^[ -~]*$/;
const PLAIN_CHARACTER = /^[ -~]$/;
/** A color or another style. */
const ANSI_SEQUENCE = /(\x1b\[[\d;]*m)/;

export const widthOf: (text: string) => number = stringWidth;

/** Truncates one line to a width, including the ellipsis. Open colors are closed. */
export function truncateLine(
  { width, unicode }: Pick<TerminalCapabilities, 'width' | 'unicode'>,
  text: string,
): string {
  const line = sanitizeLine(text);
  if (widthOf(line) <= width) return line;
  const ellipsis = unicode ? '…' : '...';
  if (PLAIN_TEXT.test(line)) return line.slice(0, Math.max(1, width - ellipsis.length)) + ellipsis;
  const [visible = ''] = splitByWidth(width - widthOf(ellipsis), line);
  const hidden = toTokens(line.slice(visible.length));
  return visible + ellipsis + hidden.filter(isAnsiSequence).join('');
}

/** Wraps each line of a text at spaces. Only a word that is longer than a line is split. */
export function wrapWords(width: number, text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = [];
    for (const word of line.split(' ').flatMap((word) => Array.from(splitByWidth(width, word)))) {
      const last = lines.at(-1);
      if (last === undefined || widthOf(last) + 1 + widthOf(word) > width) lines.push(word);
      else lines[lines.length - 1] = `${last} ${word}`;
    }
    return lines;
  });
}

/** Longer lines of sentences are hard to read, also in a wide terminal. */
export const MAX_TEXT_WIDTH = 110;

/** Wraps a text after a prefix, under which the other lines are indented. */
export function wrapIndented(
  prefix: string,
  text: string,
  { width }: Pick<TerminalCapabilities, 'width'>,
): string[] {
  const indent = ' '.repeat(widthOf(prefix));
  const lines = wrapWords(Math.max(1, width - indent.length), text);
  return lines.map((line, index) => (index === 0 ? prefix : indent) + line);
}

/** Splits a line into pieces of at most `width` columns and at least one character. */
function* splitByWidth(width: number, line: string): Generator<string> {
  let piece = '';
  let pieceWidth = 0;
  for (const token of toTokens(line)) {
    const tokenWidth = widthOfToken(token);
    if (pieceWidth > 0 && pieceWidth + tokenWidth > width) {
      yield piece;
      piece = '';
      pieceWidth = 0;
    }
    piece += token;
    pieceWidth += tokenWidth;
  }
  yield piece;
}

function toTokens(line: string): string[] {
  return line.split(ANSI_SEQUENCE).flatMap((part) => (isAnsiSequence(part) ? [part] : splitGraphemes(part)));
}

function isAnsiSequence(token: string): boolean {
  return ANSI_SEQUENCE.test(token);
}

function widthOfToken(token: string): number {
  if (PLAIN_CHARACTER.test(token)) return 1;
  return isAnsiSequence(token) ? 0 : widthOf(token);
}

/** Created on first use. */
let graphemes: Intl.Segmenter | undefined;

/** The user-perceived characters of a text. In pieces, because the time of the segmenter grows with the square of the length. */
function splitGraphemes(text: string): string[] {
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const complete: string[] = [];
  // The last character of a piece can continue in the next one.
  let unfinished = '';
  for (const piece of text.match(/.{1,256}/gsu) ?? []) {
    complete.push(...Array.from(graphemes.segment(unfinished + piece), ({ segment }) => segment));
    unfinished = complete.pop() ?? '';
  }
  return text === '' ? [] : [...complete, unfinished];
}
