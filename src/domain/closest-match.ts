/** Suggestions for a mistyped word: commands, options, settings, rows of the gap register. */

/**
 * The candidate that `word` was most likely meant to be, whatever its case; null when none is near enough.
 * Near enough is one slip in three characters: a letter wrong, missing, too many, or swapped with its neighbour.
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

/** Edit distance in which a swap of neighbours counts once (optimal string alignment). */
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
