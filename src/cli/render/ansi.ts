/** Lines that may have colours and links in them, fitted to columns of a terminal. */
import type { TerminalCapabilities } from '../io.ts';
import { sanitizeLine, sanitizeLines } from '../terminal-text.ts';
import { isPlain, splitGraphemes, widthOf } from './text-width.ts';

/** What paints: colours, and the beginning and end of a link. None of it takes room. */
const ANSI_SEQUENCE = /(\x1b\[[\d;]*m|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\))/;
const PLAIN_CHARACTER = /^[ -~]$/;

/** One line cut to the width of where it goes, the mark of the cut counted. Colours that were begun are ended. */
export function truncateLine(
  { width, unicode }: Pick<TerminalCapabilities, 'width' | 'unicode'>,
  text: string,
): string {
  const line = sanitizeLine(text);
  if (widthOf(line) <= width) return line;
  const mark = unicode ? '…' : '...';
  if (isPlain(line)) return line.slice(0, Math.max(1, width - mark.length)) + mark;
  const [kept = ''] = splitByWidth(width - widthOf(mark), line);
  const rest = toTokens(line.slice(kept.length));
  return kept + mark + rest.filter(isAnsiSequence).join('');
}

/** The lines of a text, those that are too long continued on the next; nothing is left out. */
export function wrapLines(width: number, text: string): string[] {
  return sanitizeLines(text)
    .split('\n')
    .flatMap((line) => Array.from(splitByWidth(width, line)));
}

/** Pieces of at most `width` columns and at least one character; together they are the line. */
function* splitByWidth(width: number, line: string): Generator<string> {
  let piece = '';
  let used = 0;
  for (const token of toTokens(line)) {
    const taken = widthOfToken(token);
    if (used > 0 && used + taken > width) {
      yield piece;
      piece = '';
      used = 0;
    }
    piece += token;
    used += taken;
  }
  yield piece;
}

/** Characters, and what paints them. */
function toTokens(line: string): string[] {
  return line.split(ANSI_SEQUENCE).flatMap((part) => (isAnsiSequence(part) ? [part] : splitGraphemes(part)));
}

function isAnsiSequence(token: string): boolean {
  return ANSI_SEQUENCE.test(token);
}

/** Nearly all are plain, and measuring is slow. */
function widthOfToken(token: string): number {
  if (PLAIN_CHARACTER.test(token)) return 1;
  return isAnsiSequence(token) ? 0 : widthOf(token);
}
