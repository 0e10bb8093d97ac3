/** Two texts and where they part. */
interface Excerpt {
  /** Whether something was left out before it. */
  readonly isCutBefore: boolean;
  readonly same: string;
  readonly other: string;
  /** Whether something was left out after it. */
  readonly isCutAfter: boolean;
}

const BEFORE = 120;
const AFTER = 240;

/** The part of a text around the character at `index`, the first that is not as in the other text. */
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

/** Index of the first character that differs; null where the texts are equal. */
export function findFirstDifference(one: string, other: string): number | null {
  if (one === other) return null;
  let index = 0;
  while (index < one.length && one[index] === other[index]) index++;
  return index;
}
