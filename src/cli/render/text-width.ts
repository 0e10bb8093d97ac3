/** Text measured in columns of a terminal: wide characters and emoji take two, colours and links none. */
import stringWidth from 'string-width';

/** Made when something is first cut: it costs 10 ms, which a table that fits need not pay. */
let graphemes: Intl.Segmenter | undefined;

const PLAIN = /^[ -~]*$/;

/** Whether each character takes one column. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** Nearly all text is plain, and measuring any other takes a hundred times as long. */
export function widthOf(text: string): number {
  return isPlain(text) ? text.length : stringWidth(text);
}

/** The segmenter takes time by the square of the length: it gets this much at a time. */
const PIECE = 256;

/** The characters of a text as a person counts them. */
export function splitGraphemes(text: string): string[] {
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const found: string[] = [];
  // The last character of a piece may go on in the next one.
  let begun = '';
  for (let at = 0; at < text.length; at += PIECE) {
    const segments = graphemes.segment(begun + text.slice(at, at + PIECE));
    found.push(...Array.from(segments, ({ segment }) => segment));
    begun = found.pop() ?? '';
  }
  return text === '' ? [] : [...found, begun];
}
