import Table from 'cli-table3';
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

/** A column with its texts and the width that it gets. */
interface Fitted<Row> {
  readonly column: Column<Row>;
  readonly texts: readonly string[];
  readonly width: number;
}

/** A table without lines, fitted to the width of the terminal. */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], look: Look): string {
  const measured = columns.map((column) => {
    const texts = rows.map((row) => toStyledLine(column.value(row)));
    return { column, texts, width: Math.max(...[column.title, ...texts].map(widthOf)) };
  });
  const fitted = fitColumns(measured, look.width);
  const style = styleFor(look);
  const table = new Table({
    head: fitted.map(({ column }) => style.dim(column.title)),
    colWidths: fitted.map(({ width }) => width + GAP),
    chars: NO_LINES,
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [], compact: true },
  });
  const cellOf = (row: number) => (entry: Fitted<Row>) =>
    cutLineTo({ ...look, width: entry.width }, entry.texts[row] ?? '');
  table.push(...rows.map((_, row) => fitted.map(cellOf(row))));
  return table.toString().replace(/ +$/gm, '');
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

const NO_LINES = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '' },
};
