/** Suggests what a mistyped word was meant to be. */

/**
 * The candidate with the smallest edit distance to `word`, ignoring case; null when there is more than one mistake per
 * three characters. A mistake is a wrong, missing or additional character, or two swapped neighbors.
 */
export function closestMatch(word: string, candidates: Iterable<string>): string | null {
  let nearest: string | null = null;
  let fewest = Math.max(1, Math.floor(word.length / 3));
  for (const candidate of candidates) {
    const slips = countSlips(word.toLowerCase(), candidate.toLowerCase());
    if (slips < fewest || (slips === fewest && nearest === null)) {
      nearest = candidate;
      fewest = slips;
    }
  }
  return nearest;
}

/** The edit distance in which two swapped neighbors count once (optimal string alignment). */
function countSlips(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
        swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
