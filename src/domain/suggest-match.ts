/** Suggests what a mistyped word was meant to be: `Did you mean x?`, with the candidate that is closest to the word. */

/**
 * Compares by edit distance and ignores case.
 * @param format writes the closest candidate as it appears in the question (default: unchanged)
 * @returns null if no candidate is close: at most one mistake per three characters. A mistake is a wrong, missing or
 *   additional character, or two swapped neighbors.
 */
export function suggestMatch(
  word: string,
  candidates: Iterable<string>,
  format: (candidate: string) => string = (candidate) => candidate,
): string | null {
  let closest: string | null = null;
  let minDistance = Math.max(1, Math.floor(word.length / 3));
  for (const candidate of candidates) {
    const distance = getEditDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < minDistance || (distance === minDistance && closest === null)) {
      closest = candidate;
      minDistance = distance;
    }
  }
  return closest === null ? null : `Did you mean ${format(closest)}?`;
}

/** The edit distance in which two swapped neighbors count once (optimal string alignment). */
function getEditDistance(from: string, to: string): number {
  let rowBeforeLast: number[] = [];
  let lastRow = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const currentRow = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      currentRow[column] = Math.min(
        at(lastRow, column) + 1,
        at(currentRow, column - 1) + 1,
        at(lastRow, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(rowBeforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    rowBeforeLast = lastRow;
    lastRow = currentRow;
  }
  return at(lastRow, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
