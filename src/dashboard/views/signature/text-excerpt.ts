/** Finds the first difference of two texts, and cuts out the text around it. */

interface Excerpt {
  readonly isCutBefore: boolean;
  readonly equalText: string;
  readonly differentText: string;
  readonly isCutAfter: boolean;
}

/** Number of characters before the difference and from it on. */
const EQUAL_LENGTH = 120;
const DIFFERENT_LENGTH = 240;

/** The part of a text around `index`, the first character that differs from the other text. */
export function excerptAt(text: string, index: number): Excerpt {
  const from = Math.max(0, index - EQUAL_LENGTH);
  const to = Math.min(text.length, index + DIFFERENT_LENGTH);
  return {
    isCutBefore: from > 0,
    equalText: text.slice(from, index),
    differentText: text.slice(index, to),
    isCutAfter: to < text.length,
  };
}

/** Index of the first character that differs; null when the texts are equal. */
export function findFirstDifference(left: string, right: string): number | null {
  if (left === right) return null;
  let index = 0;
  while (index < left.length && left[index] === right[index]) index++;
  return index;
}
