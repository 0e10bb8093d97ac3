/** A line diff of two texts. */

export interface DiffRow {
  readonly kind: 'same' | 'changed' | 'removed' | 'added';
  /** A line of the first text; null for an added line. */
  readonly left: string | null;
  /** A line of the second text; null for a removed line. */
  readonly right: string | null;
}

/** Size of the largest table of line pairs that is compared: it takes 16 MB, and a larger one would block the page. */
const MAX_CELLS = 4_000_000;

/** Rows with the lines of both texts side by side. Removed lines are next to the added ones. */
export function diffLines(leftText: string, rightText: string): DiffRow[] {
  const [left, right] = [toLines(leftText), toLines(rightText)];
  const startCount = countEqual(left, right);
  const endCount = countEqual(left.slice(startCount).reverse(), right.slice(startCount).reverse());
  return [
    ...left.slice(0, startCount).map(toEqualRow),
    ...compare(
      left.slice(startCount, left.length - endCount),
      right.slice(startCount, right.length - endCount),
    ),
    ...left.slice(left.length - endCount).map(toEqualRow),
  ];
}

export type CollapsedRow = DiffRow | { readonly kind: 'collapsed'; readonly count: number };

/** Replaces equal lines that are more than `context` lines from a change with one row. */
export function collapseEqual(rows: readonly DiffRow[], context: number): CollapsedRow[] {
  const isNear = rows.map(() => false);
  rows.forEach((row, index) => {
    if (row.kind !== 'same') isNear.fill(true, Math.max(0, index - context), index + context + 1);
  });
  const collapsedRows: CollapsedRow[] = [];
  for (let index = 0; index < rows.length; ) {
    const next = isNear.indexOf(true, index);
    const count = (next === -1 ? rows.length : next) - index;
    if (count > 1) collapsedRows.push({ kind: 'collapsed', count });
    else collapsedRows.push(...rows.slice(index, index + count));
    index += count;
    const row = rows[index];
    if (row !== undefined) collapsedRows.push(row);
    index++;
  }
  return collapsedRows;
}

function toLines(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

function toEqualRow(line: string): DiffRow {
  return { kind: 'same', left: line, right: line };
}

function countEqual(left: readonly string[], right: readonly string[]): number {
  const index = left.findIndex((line, index) => line !== right[index]);
  return index === -1 ? left.length : index;
}

/** Compares by longest common subsequence. In texts that are too long, each line is compared only with the one beside it. */
function compare(left: readonly string[], right: readonly string[]): DiffRow[] {
  if (left.length * right.length > MAX_CELLS) return pairLines(left, right);
  const commonLength = computeCommonLengths(left, right);
  const rows: DiffRow[] = [];
  let [i, j] = [0, 0];
  // Start of the lines that are not in a row yet.
  let [leftStart, rightStart] = [0, 0];
  while (i < left.length && j < right.length) {
    const line = left[i] ?? '';
    if (line === right[j]) {
      rows.push(...pairLines(left.slice(leftStart, i++), right.slice(rightStart, j++)), toEqualRow(line));
      [leftStart, rightStart] = [i, j];
    } else if (commonLength(i + 1, j) >= commonLength(i, j + 1)) i++;
    else j++;
  }
  return [...rows, ...pairLines(left.slice(leftStart), right.slice(rightStart))];
}

/** @returns the length of the longest common subsequence of the lines from a pair of positions on */
function computeCommonLengths(left: readonly string[], right: readonly string[]) {
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  const lengthAt = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        left[i] === right[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
    }
  }
  return lengthAt;
}

/** Puts lines next to each other. */
function pairLines(leftLines: readonly string[], rightLines: readonly string[]): DiffRow[] {
  return Array.from({ length: Math.max(leftLines.length, rightLines.length) }, (_, index) => {
    const [left = null, right = null] = [leftLines[index], rightLines[index]];
    if (left === null) return { kind: 'added', left, right };
    if (right === null) return { kind: 'removed', left, right };
    return { kind: left === right ? 'same' : 'changed', left, right };
  });
}
