/** Sanitizes text for a terminal: keeps our own styles, and escapes other control and invisible characters. */
import { escapeInvisible, escapeToOneLine } from '../domain/invisible-characters.ts';

/**
 * Marks the sequences of this process. Other text cannot know the key, so it cannot style anything. The key has groups of
 * at most four digits, the limit of libraries that measure text.
 */
const STYLE_KEY = Array.from(crypto.getRandomValues(new Uint16Array(4)), (word) => word % 10_000).join(';');

const STYLE_START = `\x1b[${STYLE_KEY};`;
const LINK_START = `\x1b]8;id=${STYLE_KEY};`;
const LINK_END = '\x1b\\';
/** Anything except printable ASCII. */
const NOT_PLAIN = /[^ -~]/;
/**
 * Whole sequences, as {@link styleSequence} and {@link link} create them. `split` puts them at the odd indexes of its result,
 * because they are in a group.
 */
const OWN_SEQUENCES = new RegExp(`(\\x1b\\[${STYLE_KEY};\\d+m|\\x1b\\]8;id=${STYLE_KEY};[!-~]*\\x1b\\\\)`);
const STYLE_KEYS = new RegExp(`(?<=\\x1b\\[)${STYLE_KEY};|(?<=\\x1b\\]8;)id=${STYLE_KEY}(?=;)`, 'g');

/** The sequence that sets a display attribute (ECMA-48, SGR), for {@link sanitizeForTerminal}. */
export function styleSequence(attribute: number): string {
  return `${STYLE_START}${attribute}m`;
}

/** Text that links to `url`, which is ASCII (OSC 8), for {@link sanitizeForTerminal}. */
export function link(text: string, url: string): string {
  return `${LINK_START}${url}${LINK_END}${text}${LINK_START}${LINK_END}`;
}

/** Escapes everything in a line but our own styles, which {@link sanitizeForTerminal} completes. */
export function sanitizeLine(text: string): string {
  return escapeUntrusted(text, escapeToOneLine);
}

/** Like {@link sanitizeLine}, for several lines. */
export function sanitizeLines(text: string): string {
  return escapeUntrusted(text, escapeInvisible);
}

/** The text to write to a terminal: it can contain only line breaks, tabs and our own styles besides visible characters. */
export function sanitizeForTerminal(text: string): string {
  return sanitizeLines(text).replace(STYLE_KEYS, '');
}

/** The text in one line, without our own styles. */
export function stripStyles(text: string): string {
  const isText = (_: string, index: number) => index % 2 === 0;
  return text.split(OWN_SEQUENCES).filter(isText).map(escapeToOneLine).join('');
}

function escapeUntrusted(text: string, escapePart: (text: string) => string): string {
  // Nearly all text is plain.
  if (!NOT_PLAIN.test(text)) return text;
  return text
    .split(OWN_SEQUENCES)
    .map((part, index) => (index % 2 === 1 ? part : escapePart(part)))
    .join('');
}
