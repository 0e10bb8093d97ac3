/** Measures text in terminal columns: wide characters and emoji take two, colors and links none. */
import stringWidth from 'string-width';

/** Created on first use, because it takes 10 ms. */
let graphemes: Intl.Segmenter | undefined;

const PLAIN = /^[ -~]*$/;

/** Whether each character takes one column. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** Most text is plain. Measuring other text takes a hundred times as long. */
export function widthOf(text: string): number {
  return isPlain(text) ? text.length : stringWidth(text);
}

/** Characters per call: the time of the segmenter grows with the square of the length. */
const PIECE = 256;

/** The user-perceived characters of a text. */
export function splitGraphemes(text: string): string[] {
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const found: string[] = [];
  // The last character of a piece can continue in the next one.
  let begun = '';
  for (let at = 0; at < text.length; at += PIECE) {
    const segments = graphemes.segment(begun + text.slice(at, at + PIECE));
    found.push(...Array.from(segments, ({ segment }) => segment));
    begun = found.pop() ?? '';
  }
  return text === '' ? [] : [...found, begun];
}
