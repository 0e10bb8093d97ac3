import type { TerminalCapabilities } from '../io.ts';
import { sanitizeLine } from '../terminal-text.ts';
import { truncateLine } from './ansi.ts';
import { styleFor } from './style.ts';
import { widthOf } from './text-width.ts';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  /** Columns are hidden in this order in a narrow terminal, 1 first. A column without a number is always shown. */
  readonly hideOrder?: number;
  /** Whether its values can be truncated before a column is hidden. */
  readonly canTruncate?: boolean;
}

const GAP = 2;
const MIN_WIDTH = 24;
/** Number of texts per column whose width is cached. */
const WIDTH_CACHE_SIZE = 100;

/** A column with its texts and its final width. */
interface FittedColumn<Row> {
  readonly column: Column<Row>;
  readonly texts: readonly string[];
  /** The width of each text. */
  readonly widths: readonly number[];
  readonly width: number;
}

/** Renders a table without borders that fits the terminal, in time linear to its rows. */
export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  terminalCapabilities: TerminalCapabilities,
): string {
  const measured = columns.map((column) => {
    const texts = rows.map((row) => sanitizeLine(column.value(row)));
    const known = new Map<string, number>();
    const widths = texts.map((text) => {
      const width = known.get(text) ?? widthOf(text);
      // Many rows have the same styled text, such as a status.
      if (known.size < WIDTH_CACHE_SIZE) known.set(text, width);
      return width;
    });
    const width = widths.reduce((widest, each) => Math.max(widest, each), widthOf(column.title));
    return { column, texts, widths, width };
  });
  const fitted = fitColumns(measured, terminalCapabilities.width);
  const style = styleFor(terminalCapabilities);
  const head = fitted.map(({ column: { title }, width }) => {
    return style.dim(title) + ' '.repeat(width - widthOf(title));
  });
  const lines = rows.map((_, row) => toLine(fitted.map((entry) => toCell(entry, row, terminalCapabilities))));
  return [toLine(head), ...lines].join('\n');
}

function toCell<Row>(
  { texts, widths, width }: FittedColumn<Row>,
  row: number,
  terminalCapabilities: TerminalCapabilities,
): string {
  const [text = '', taken = 0] = [texts[row], widths[row]];
  if (taken <= width) return text + ' '.repeat(width - taken);
  const cut = truncateLine({ ...terminalCapabilities, width }, text);
  // A wide character that does not fit leaves one column empty.
  return cut + ' '.repeat(Math.max(0, width - widthOf(cut)));
}

function toLine(cells: readonly string[]): string {
  return cells.join(' '.repeat(GAP)).replace(/ +$/, '');
}

/**
 * Truncates columns that can be truncated. If that is not enough, hides columns, empty ones first, until the rest fits.
 */
function fitColumns<Row>(
  columns: readonly FittedColumn<Row>[],
  available: number,
): readonly FittedColumn<Row>[] {
  const total = columns.reduce((sum, { width }) => sum + width, GAP * (columns.length - 1));
  const excess = total - available;
  const leaving = columns.find(isEmptyColumn) ?? findFirstToHide(columns);
  const spare = columns.reduce((sum, entry) => sum + shrinkableWidth(entry), 0);
  if (excess > spare && leaving) {
    return fitColumns(
      columns.filter((entry) => entry !== leaving),
      available,
    );
  }
  return shrink(columns, excess);
}

function isEmptyColumn<Row>({ texts }: FittedColumn<Row>): boolean {
  return texts.every((text) => text === '');
}

function findFirstToHide<Row>(columns: readonly FittedColumn<Row>[]): FittedColumn<Row> | undefined {
  return columns
    .filter(({ column }) => column.hideOrder !== undefined)
    .sort((a, b) => Number(a.column.hideOrder) - Number(b.column.hideOrder))[0];
}

function shrinkableWidth<Row>({ column, width }: FittedColumn<Row>): number {
  return column.canTruncate ? Math.max(0, width - MIN_WIDTH) : 0;
}

/** Removes `excess` from the columns that can be truncated, the last one first. */
function shrink<Row>(columns: readonly FittedColumn<Row>[], excess: number): readonly FittedColumn<Row>[] {
  let rest = Math.max(0, excess);
  return columns
    .toReversed()
    .map((entry) => {
      const taken = Math.min(rest, shrinkableWidth(entry));
      rest -= taken;
      return { ...entry, width: entry.width - taken };
    })
    .toReversed();
}
