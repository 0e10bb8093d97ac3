/** Parts that many messages share: counts, sentences, suggestions of what was meant, the ends of processes, and the reasons of file errors. */

/** `1 delivery`, `2 deliveries` */
export function formatCount(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

export function formatDeliveryCount(count: number): string {
  return formatCount(count, 'delivery', 'deliveries');
}

export function capitalize(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length);
}

/** A host name or address at the beginning of a text. */
const HOST_AT_START = /^(?:localhost\b|\S*[.:\d]\S)/;

/** Capitalizes a text, unless it begins with a host name, and ends it with a period. */
export function toSentence(text: string): string {
  return `${HOST_AT_START.test(text) ? text : capitalize(text)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/**
 * `Did you mean x?` with the result of {@link findClosest}; null if no candidate is close.
 * @param format writes the closest candidate as it appears in the question (default: unchanged)
 */
export function suggestMatch(
  word: string,
  candidates: Iterable<string>,
  format: (candidate: string) => string = (candidate) => candidate,
  maxMistakes?: number,
): string | null {
  const closest = findClosest(word, candidates, maxMistakes);
  return closest === null ? null : `Did you mean ${format(closest)}?`;
}

/**
 * The candidate that is closest to a mistyped word, by edit distance and ignoring case.
 * @param maxMistakes a limit in addition to that of the length
 * @returns null if none is close. Close means at most one mistake, or one per three characters in a longer word. A mistake is a wrong,
 *   missing or additional character, or two swapped neighbors.
 */
export function findClosest(
  word: string,
  candidates: Iterable<string>,
  maxMistakes = Number.POSITIVE_INFINITY,
): string | null {
  let closest: string | null = null;
  // At first the largest distance that counts as close.
  let minDistance = Math.min(maxMistakes, Math.max(1, Math.floor(word.length / 3)));
  for (const candidate of candidates) {
    const distance = getEditDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < minDistance || (distance === minDistance && closest === null)) {
      closest = candidate;
      minDistance = distance;
    }
  }
  return closest;
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

/** How a process ended: `exited with code 1`, or `was terminated by SIGKILL`. @param code null if a signal ended it */
export function describeExit(code: number | null, signal: string | null): string {
  return code === null ? `was terminated by ${signal}` : `exited with code ${code}`;
}

/** Plain words for the error codes of the file system. */
const fileErrorDescriptions: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'it already exists',
  EFBIG: 'the file is too large',
  EIO: 'disk I/O error',
  EISDIR: 'it is a folder',
  ELOOP: 'too many symbolic links',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'the file or its folder does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a folder',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
};

/** The reason of an error of Node.js, as a clause for a message; the text of any other error unchanged. */
export function describeFileError(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return fileErrorDescriptions[code] ?? message;
}
