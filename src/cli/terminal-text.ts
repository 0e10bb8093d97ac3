/** Sanitizes text for a terminal: keeps our own styles, and escapes other control and invisible characters. */
import { escapeInvisible, escapeToOneLine } from '../domain/invisible-characters.ts';

/** Anything except printable ASCII, and in text of several lines the ends of these. */
const NOT_PLAIN_IN_LINE = /[^ -~]/;
const NOT_PLAIN_IN_LINES = /[^ -~\n]/;

/**
 * Marks the sequences of this process. Other text cannot know the key, so it cannot style anything. The key has groups of
 * four digits: libraries that measure text accept no more.
 */
function createMarks() {
  const words = crypto.getRandomValues(new Uint16Array(4));
  const key = Array.from(words, (word) => 1000 + (word % 9000)).join(';');
  return {
    styleStart: `\x1b[${key};`,
    /** Whole sequences, as {@link applyStyle} creates them. In a group, so that `split` keeps them. */
    sequences: new RegExp(`(\\x1b\\[${key};\\d+m)`),
    keys: new RegExp(`(?<=\\x1b\\[)${key};`, 'g'),
  };
}

/** Created with the first sequence, because Node.js loads Web Crypto for the key. Until then, no text contains a sequence. */
let marks: ReturnType<typeof createMarks> | null = null;

/** Applies a style of chalk to text, whose own sequences are escaped, and marks it for {@link sanitizeForTerminal}. */
export function applyStyle(style: (text: string) => string, text: string): string {
  return style(sanitizeLines(text)).replace(/\x1b\[(?=\d+m)/g, () => {
    marks ??= createMarks();
    return marks.styleStart;
  });
}

/** Escapes everything in a line but our own styles, which {@link sanitizeForTerminal} completes. */
export function sanitizeLine(text: string): string {
  return escapeUntrusted(text, NOT_PLAIN_IN_LINE, escapeToOneLine);
}

export function sanitizeLines(text: string): string {
  return escapeUntrusted(text, NOT_PLAIN_IN_LINES, escapeInvisible);
}

/** The text to write to a terminal: it can contain only line breaks, tabs and our own styles besides visible characters. */
export function sanitizeForTerminal(text: string): string {
  const sanitized = sanitizeLines(text);
  return marks === null ? sanitized : sanitized.replace(marks.keys, '');
}

/** The text in one line, without our own styles. */
export function stripStyles(text: string): string {
  const isText = (_: string, index: number) => index % 2 === 0;
  return splitAtSequences(text).filter(isText).map(escapeToOneLine).join('');
}

function escapeUntrusted(text: string, notPlain: RegExp, escapePart: (text: string) => string): string {
  // Nearly all text is plain.
  if (!notPlain.test(text)) return text;
  return splitAtSequences(text)
    .map((part, index) => (index % 2 === 1 ? part : escapePart(part)))
    .join('');
}

/** The text around our own sequences at even indexes, and the sequences at odd ones. */
function splitAtSequences(text: string): string[] {
  return marks === null ? [text] : text.split(marks.sequences);
}
