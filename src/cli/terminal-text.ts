/** Text on its way to a terminal: our own styling passes, everything else that it would obey or hide is escaped. */
import { toOneLine, toPlainLines } from '../domain/invisible-characters.ts';

/**
 * Marks the sequences that this process makes. Text from elsewhere cannot know it, so none of it can style anything.
 * In groups of at most four digits, which is what programs that measure text accept in a sequence.
 */
const KEY = Array.from(crypto.getRandomValues(new Uint16Array(4)), (word) => word % 10_000).join(';');

const STYLE_START = `\x1b[${KEY};`;
const LINK_START = `\x1b]8;id=${KEY};`;
const LINK_END = '\x1b\\';
const NOT_PLAIN = /[^ -~]/;
/** Whole sequences, as {@link style} and {@link link} make them. */
const OURS = new RegExp(`(\\x1b\\[${KEY};\\d+m|\\x1b\\]8;id=${KEY};[!-~]*\\x1b\\\\)`);
const KEYS = new RegExp(`(?<=\\x1b\\[)${KEY};|(?<=\\x1b\\]8;)id=${KEY}(?=;)`, 'g');

/** The sequence that sets a display attribute (ECMA-48, SGR), for {@link toTerminal}. */
export function styleSequence(attribute: number): string {
  return `${STYLE_START}${attribute}m`;
}

/** Text that links to `url`, which is ASCII (OSC 8), for {@link toTerminal}. */
export function link(text: string, url: string): string {
  return `${LINK_START}${url}${LINK_END}${text}${LINK_START}${LINK_END}`;
}

/** Escapes what is not ours in one line, which may be styled; the result is styled for {@link toTerminal} still. */
export function toStyledLine(text: string): string {
  return escapeOthers(text, toOneLine);
}

/** The same for several lines. */
export function toStyledLines(text: string): string {
  return escapeOthers(text, toPlainLines);
}

/** What is written: nothing that a terminal obeys but line breaks, tabs and our own styling. */
export function toTerminal(text: string): string {
  return toStyledLines(text).replace(KEYS, '');
}

/** What the text shows in one line, without our styling. */
export function toUnstyledLine(text: string): string {
  const isText = (_: string, index: number) => index % 2 === 0;
  return text.split(OURS).filter(isText).map(toOneLine).join('');
}

function escapeOthers(text: string, toEscaped: (text: string) => string): string {
  // Nearly all text is plain.
  if (!NOT_PLAIN.test(text)) return text;
  return text
    .split(OURS)
    .map((part, index) => (index % 2 === 1 ? part : toEscaped(part)))
    .join('');
}
