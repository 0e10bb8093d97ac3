import type { Look } from '../io.ts';
import { toStyledLine } from '../terminal-text.ts';
import { cutLineTo } from './painted.ts';
import { styleFor } from './style.ts';
import { widthOf } from './text-width.ts';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  /** In a terminal that is too narrow, columns leave in this order, 1 first. One without a number stays. */
  readonly leaves?: number;
  /** Whether its values may be cut before a column has to leave. */
  readonly shrinks?: boolean;
}

const GAP = 2;
const SMALLEST_WIDTH = 24;
/** Texts of a column whose width is remembered while it is measured. */
const KNOWN_WIDTHS = 100;

/** A column with its texts and the width that it gets. */
interface Fitted<Row> {
  readonly column: Column<Row>;
  readonly texts: readonly string[];
  /** Of each text, measured once. */
  readonly widths: readonly number[];
  readonly width: number;
}

/** A table without lines, fitted to the width of the terminal. Takes time in proportion to its rows. */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], look: Look): string {
  const measured = columns.map((column) => {
    const texts = rows.map((row) => toStyledLine(column.value(row)));
    const known = new Map<string, number>();
    const widths = texts.map((text) => {
      const width = known.get(text) ?? widthOf(text);
      // A status, for instance, has colors and is the same in many rows.
      if (known.size < KNOWN_WIDTHS) known.set(text, width);
      return width;
    });
    const width = widths.reduce((widest, each) => Math.max(widest, each), widthOf(column.title));
    return { column, texts, widths, width };
  });
  const fitted = fitColumns(measured, look.width);
  const style = styleFor(look);
  const head = fitted.map(({ column: { title }, width }) => {
    return style.dim(title) + ' '.repeat(width - widthOf(title));
  });
  const lines = rows.map((_, row) => toLine(fitted.map((entry) => toCell(entry, row, look))));
  return [toLine(head), ...lines].join('\n');
}

function toCell<Row>({ texts, widths, width }: Fitted<Row>, row: number, look: Look): string {
  const [text = '', taken = 0] = [texts[row], widths[row]];
  if (taken <= width) return text + ' '.repeat(width - taken);
  const cut = cutLineTo({ ...look, width }, text);
  // A wide character that was cut leaves a column free.
  return cut + ' '.repeat(Math.max(0, width - widthOf(cut)));
}

function toLine(cells: readonly string[]): string {
  return cells.join(' '.repeat(GAP)).replace(/ +$/, '');
}

/**
 * Cuts what may be cut; where that is not enough, columns leave, empty ones first, until the rest fits or none can leave
 * any more.
 */
function fitColumns<Row>(columns: readonly Fitted<Row>[], available: number): readonly Fitted<Row>[] {
  const total = columns.reduce((sum, { width }) => sum + width, GAP * (columns.length - 1));
  const excess = total - available;
  const leaving = columns.find(isBlank) ?? findFirstToLeave(columns);
  const spare = columns.reduce((sum, entry) => sum + spareOf(entry), 0);
  if (excess > spare && leaving) {
    return fitColumns(
      columns.filter((entry) => entry !== leaving),
      available,
    );
  }
  return shrink(columns, excess);
}

/** Nothing is lost with it. */
function isBlank<Row>({ texts }: Fitted<Row>): boolean {
  return texts.every((text) => text === '');
}

function findFirstToLeave<Row>(columns: readonly Fitted<Row>[]): Fitted<Row> | undefined {
  return columns
    .filter(({ column }) => column.leaves !== undefined)
    .sort((a, b) => Number(a.column.leaves) - Number(b.column.leaves))[0];
}

function spareOf<Row>({ column, width }: Fitted<Row>): number {
  return column.shrinks ? Math.max(0, width - SMALLEST_WIDTH) : 0;
}

/** Takes `excess` from the columns that may shrink, the last first. */
function shrink<Row>(columns: readonly Fitted<Row>[], excess: number): readonly Fitted<Row>[] {
  let rest = Math.max(0, excess);
  return columns
    .toReversed()
    .map((entry) => {
      const taken = Math.min(rest, spareOf(entry));
      rest -= taken;
      return { ...entry, width: entry.width - taken };
    })
    .toReversed();
}
