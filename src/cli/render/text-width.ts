/** Measures, truncates and wraps text by terminal columns: wide characters and emoji take two, colors none. */
import findTruncation from 'fast-string-truncated-width';
import stringWidth from 'string-width';
import type { TerminalCapabilities } from '../process-context.ts';
import { sanitizeLine } from '../terminal-text.ts';

/** A color or another style. */
const ANSI_SEQUENCE = /\x1b\[[\d;]*m/g;

export const widthOf: (text: string) => number = stringWidth;

/** Truncates one line to a width, including the ellipsis. Open colors are closed. */
export function truncateLine(
  { width, unicode }: Pick<TerminalCapabilities, 'width' | 'unicode'>,
  text: string,
): string {
  const line = sanitizeLine(text);
  const ellipsis = unicode ? '…' : '...';
  const { truncated, index } = findTruncation(line, { limit: width, ellipsis });
  if (!truncated) return line;
  const hiddenStyles = line.slice(index).match(ANSI_SEQUENCE) ?? [];
  return line.slice(0, index) + ellipsis + hiddenStyles.join('');
}

/** Wraps each line of a text at spaces. Only a word that is longer than a line is split. */
export function wrapWords(width: number, text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = [];
    for (const word of line.split(' ').flatMap((word) => splitByWidth(width, word))) {
      const last = lines.at(-1);
      if (last === undefined || widthOf(last) + 1 + widthOf(word) > width) lines.push(word);
      else lines[lines.length - 1] = `${last} ${word}`;
    }
    return lines;
  });
}

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

/** Splits a word into pieces of at most `width` columns, or of one character that is wider. */
function splitByWidth(width: number, word: string): string[] {
  const pieces: string[] = [];
  let rest = word;
  do {
    const { index } = findTruncation(rest, { limit: width });
    const end = index || findTruncation(rest, { limit: 2 }).index || rest.length;
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  } while (rest !== '');
  return pieces;
}
