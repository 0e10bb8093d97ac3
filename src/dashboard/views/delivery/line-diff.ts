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
  const [one, other] = [toLines(left), toLines(right)];
  const start = countSame(one, other);
  const end = countSame(one.slice(start).reverse(), other.slice(start).reverse());
  const middle = pairChanges(
    compare(one.slice(start, one.length - end), other.slice(start, other.length - end)),
  );
  const same = (lines: readonly string[]) =>
    lines.map((line) => ({ kind: 'same', left: line, right: line }) as const);
  return [...same(one.slice(0, start)), ...middle, ...same(one.slice(one.length - end))];
}

export type CollapsedRow = DiffRow | { readonly kind: 'collapsed'; readonly count: number };

/** Replaces equal lines that are more than `context` lines from a change with one row. */
export function collapseEqual(rows: readonly DiffRow[], context: number): CollapsedRow[] {
  const isNear = rows.map(() => false);
  rows.forEach((row, index) => {
    if (row.kind !== 'same') isNear.fill(true, Math.max(0, index - context), index + context + 1);
  });
  const folded: CollapsedRow[] = [];
  for (let index = 0; index < rows.length; ) {
    const next = isNear.indexOf(true, index);
    const count = (next === -1 ? rows.length : next) - index;
    if (count > 1) folded.push({ kind: 'collapsed', count });
    else folded.push(...rows.slice(index, index + count));
    index += count;
    const row = rows[index];
    if (row !== undefined) folded.push(row);
    index++;
  }
  return folded;
}

function toLines(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

function countSame(one: readonly string[], other: readonly string[]): number {
  const different = one.findIndex((line, index) => line !== other[index]);
  return different === -1 ? one.length : different;
}

/** Compares by longest common subsequence. Texts that are too long count as completely different. */
function compare(one: readonly string[], other: readonly string[]): DiffRow[] {
  const removed = (line: string) => ({ kind: 'removed', left: line, right: null }) as const;
  const added = (line: string) => ({ kind: 'added', left: null, right: line }) as const;
  if (one.length * other.length > MAX_CELLS) return [...one.map(removed), ...other.map(added)];
  const lengths = measure(one, other);
  const width = other.length + 1;
  const rows: DiffRow[] = [];
  let [i, j] = [0, 0];
  for (let [line, opposite] = [one[i], other[j]]; line !== undefined || opposite !== undefined; ) {
    if (line !== undefined && line === opposite) {
      rows.push({ kind: 'same', left: line, right: line });
      i++;
      j++;
    } else if (
      line !== undefined &&
      (opposite === undefined || at(lengths, (i + 1) * width + j) >= at(lengths, i * width + j + 1))
    ) {
      rows.push(removed(line));
      i++;
    } else if (opposite !== undefined) {
      rows.push(added(opposite));
      j++;
    }
    [line, opposite] = [one[i], other[j]];
  }
  return rows;
}

/** For every pair of positions, the length of the longest common subsequence of the rest. */
function measure(one: readonly string[], other: readonly string[]): Uint32Array {
  const width = other.length + 1;
  const lengths = new Uint32Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        one[i] === other[j]
          ? at(lengths, (i + 1) * width + j + 1) + 1
          : Math.max(at(lengths, (i + 1) * width + j), at(lengths, i * width + j + 1));
    }
  }
  return lengths;
}

function at(lengths: Uint32Array, index: number): number {
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
