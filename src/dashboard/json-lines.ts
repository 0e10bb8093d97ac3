/** The lines of indented JSON, and which of them remain when some are folded. */

export interface JsonLine {
  readonly text: string;
  /** Index of the line that closes the object or array that this line opens; null when it opens none. */
  readonly end: number | null;
}

/** @param text JSON as `indentJson` writes it */
export function toJsonLines(text: string): readonly JsonLine[] {
  const lines = text.split('\n').map((line) => ({ text: line, end: null as number | null }));
  const open: number[] = [];
  for (const [index, { text: line }] of lines.entries()) {
    if (/^\s*[}\]]/.test(line)) {
      const opening = lines[open.pop() ?? -1];
      if (opening !== undefined) opening.end = index;
    }
    if (/[{[]$/.test(line)) open.push(index);
  }
  return lines;
}

/** Indexes of the lines that are not inside a folded object or array. The closing line of a folded one is inside too. */
export function listShownLines(lines: readonly JsonLine[], folded: ReadonlySet<number>): readonly number[] {
  const shown: number[] = [];
  for (let index = 0; index < lines.length; index++) {
    shown.push(index);
    if (folded.has(index)) index = lines[index]?.end ?? index;
  }
  return shown;
}
