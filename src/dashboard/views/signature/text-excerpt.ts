/** Excerpts of two texts around their first difference. */
interface Excerpt {
  /** Whether text before it is left out. */
  readonly isCutBefore: boolean;
  readonly same: string;
  readonly other: string;
  /** Whether text after it is left out. */
  readonly isCutAfter: boolean;
}

const BEFORE = 120;
const AFTER = 240;

/** The part of a text around `index`, the first character that differs from the other text. */
export function excerptAt(text: string, index: number): Excerpt {
  const from = Math.max(0, index - BEFORE);
  const to = Math.min(text.length, index + AFTER);
  return {
    isCutBefore: from > 0,
    same: text.slice(from, index),
    other: text.slice(index, to),
    isCutAfter: to < text.length,
  };
}

/** Index of the first character that differs; null when the texts are equal. */
export function findFirstDifference(one: string, other: string): number | null {
  if (one === other) return null;
  let index = 0;
  while (index < one.length && one[index] === other[index]) index++;
  return index;
}
