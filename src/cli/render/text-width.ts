/** Text measured in columns of a terminal: wide characters and emoji take two, colours and links none. */
import stringWidth from 'string-width';

/** Made when something is first cut: it costs 10 ms, which a table that fits need not pay. */
let graphemes: Intl.Segmenter | undefined;

/** As cli-table3 counts, which pads by the same package: the two have to agree. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** Plain text cut to `width` columns, the mark of the cut counted; characters that belong together stay together. */
export function cutTo(width: number, text: string, mark: string): string {
  if (widthOf(text) <= width) return text;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  let kept = '';
  for (const { segment } of graphemes.segment(text)) {
    if (widthOf(kept + segment + mark) > width) break;
    kept += segment;
  }
  return kept + mark;
}
