/** A line diff of two texts. Pure. */

interface DiffRow {
  readonly kind: 'same' | 'changed' | 'removed' | 'added';
  /** A line of the first text; null for an added line. */
  readonly left: string | null;
  readonly right: string | null;
}

/** Larger tables are not compared: they would take megabytes of memory and block the page. */
const MAX_CELLS = 4_000_000;

/** Rows with the lines of both texts side by side. Removed lines stand next to the added ones. */
export function diffLines(left: string, right: string): DiffRow[] {
  const [leftLines, rightLines] = [toLines(left), toLines(right)];
  const startCount = countEqual(leftLines, rightLines);
  const endCount = countEqual(leftLines.slice(startCount).reverse(), rightLines.slice(startCount).reverse());
  const changedRows = pairChanges(
    compare(
      leftLines.slice(startCount, leftLines.length - endCount),
      rightLines.slice(startCount, rightLines.length - endCount),
    ),
  );
  const toEqualRows = (lines: readonly string[]) =>
    lines.map((line) => ({ kind: 'same', left: line, right: line }) as const);
  return [
    ...toEqualRows(leftLines.slice(0, startCount)),
    ...changedRows,
    ...toEqualRows(leftLines.slice(leftLines.length - endCount)),
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

/** How many lines at the start are equal. */
function countEqual(left: readonly string[], right: readonly string[]): number {
  const index = left.findIndex((line, index) => line !== right[index]);
  return index === -1 ? left.length : index;
}

/** Compares by longest common subsequence. Texts that are too long count as completely different. */
function compare(leftLines: readonly string[], rightLines: readonly string[]): DiffRow[] {
  const toRemovedRow = (line: string) => ({ kind: 'removed', left: line, right: null }) as const;
  const toAddedRow = (line: string) => ({ kind: 'added', left: null, right: line }) as const;
  if (leftLines.length * rightLines.length > MAX_CELLS) {
    return [...leftLines.map(toRemovedRow), ...rightLines.map(toAddedRow)];
  }
  const lengths = computeLengths(leftLines, rightLines);
  const width = rightLines.length + 1;
  const rows: DiffRow[] = [];
  let [i, j] = [0, 0];
  for (let [left, right] = [leftLines[i], rightLines[j]]; left !== undefined || right !== undefined; ) {
    if (left !== undefined && left === right) {
      rows.push({ kind: 'same', left, right });
      i++;
      j++;
    } else if (
      left !== undefined &&
      (right === undefined || lengthAt(lengths, (i + 1) * width + j) >= lengthAt(lengths, i * width + j + 1))
    ) {
      rows.push(toRemovedRow(left));
      i++;
    } else if (right !== undefined) {
      rows.push(toAddedRow(right));
      j++;
    }
    [left, right] = [leftLines[i], rightLines[j]];
  }
  return rows;
}

/** For every pair of positions, the length of the longest common subsequence of the rest. */
function computeLengths(left: readonly string[], right: readonly string[]): Uint32Array {
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        left[i] === right[j]
          ? lengthAt(lengths, (i + 1) * width + j + 1) + 1
          : Math.max(lengthAt(lengths, (i + 1) * width + j), lengthAt(lengths, i * width + j + 1));
    }
  }
  return lengths;
}

function lengthAt(lengths: Uint32Array, index: number): number {
  return lengths[index] ?? 0;
}

/** Puts the removed lines of a run next to its added lines. */
function pairChanges(rows: readonly DiffRow[]): DiffRow[] {
  const paired: DiffRow[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++) {
      const [left = null, right = null] = [removed[index], added[index]];
      const kind = left === null ? 'added' : right === null ? 'removed' : 'changed';
      paired.push({ kind, left, right });
    }
    removed = [];
    added = [];
  };
  for (const row of rows) {
    if (row.kind === 'removed') removed.push(row.left ?? '');
    else if (row.kind === 'added') added.push(row.right ?? '');
    else {
      flush();
      paired.push(row);
    }
  }
  flush();
  return paired;
}
