/** Truncates and wraps lines with ANSI colors and links to the columns of a terminal. */
import type { TerminalCapabilities } from '../io.ts';
import { sanitizeLine, sanitizeLines } from '../terminal-text.ts';
import { isPlain, splitGraphemes, widthOf } from './text-width.ts';

/** Colors, and the start and end of a link. They take no columns. */
const ANSI_SEQUENCE = /(\x1b\[[\d;]*m|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\))/;
const PLAIN_CHARACTER = /^[ -~]$/;

/** Truncates one line to a width, including the ellipsis. Open colors are closed. */
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

/** Wraps the lines of a text. Nothing is removed. */
export function wrapLines(width: number, text: string): string[] {
  return sanitizeLines(text)
    .split('\n')
    .flatMap((line) => Array.from(splitByWidth(width, line)));
}

/** Splits a line into pieces of at most `width` columns and at least one character. */
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

/** Splits a line into characters and ANSI sequences. */
function toTokens(line: string): string[] {
  return line.split(ANSI_SEQUENCE).flatMap((part) => (isAnsiSequence(part) ? [part] : splitGraphemes(part)));
}

function isAnsiSequence(token: string): boolean {
  return ANSI_SEQUENCE.test(token);
}

/** Most characters are plain, and measuring is slow. */
function widthOfToken(token: string): number {
  if (PLAIN_CHARACTER.test(token)) return 1;
  return isAnsiSequence(token) ? 0 : widthOf(token);
}
