import { stripVTControlCharacters } from 'node:util';
import Table from 'cli-table3';
import type { Look } from '../io.ts';
import { styleFor } from './style.ts';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  /** In a terminal that is too narrow, columns leave in this order, 1 first. One without a number stays. */
  readonly leaves?: number;
  /** Whether its values may be cut before a column has to leave. */
  readonly shrinks?: boolean;
}

const GAP = 2;
const SMALLEST_WIDTH = 16;

/** A table without lines, fitted to the width of the terminal. */
export function renderTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], look: Look): string {
  const cells = (column: Column<Row>) => [column.title, ...rows.map(column.value)];
  const measured = columns.map((column) => ({ column, width: Math.max(...cells(column).map(visibleWidth)) }));
  const fitted = fitColumns(measured, look.width);
  const style = styleFor(look);
  const table = new Table({
    head: fitted.map(({ column }) => style.dim(column.title)),
    colWidths: fitted.map(({ width }) => width + GAP),
    chars: NO_LINES,
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [], compact: true },
  });
  table.push(...rows.map((row) => fitted.map(({ column }) => column.value(row))));
  return table.toString().replace(/ +$/gm, '');
}

interface Measured<Row> {
  readonly column: Column<Row>;
  readonly width: number;
}

function fitColumns<Row>(columns: readonly Measured<Row>[], available: number): readonly Measured<Row>[] {
  const total = columns.reduce((sum, { width }) => sum + width, GAP * (columns.length - 1));
  const excess = total - available;
  if (excess <= 0) return columns;
  const shrinking = columns.find(({ column, width }) => column.shrinks && width - excess >= SMALLEST_WIDTH);
  if (shrinking) {
    return columns.map((entry) => (entry === shrinking ? { ...entry, width: entry.width - excess } : entry));
  }
  const leaving = columns
    .filter(({ column }) => column.leaves !== undefined)
    .sort((a, b) => Number(a.column.leaves) - Number(b.column.leaves))[0];
  return leaving
    ? fitColumns(
        columns.filter((entry) => entry !== leaving),
        available,
      )
    : columns;
}

function visibleWidth(text: string): number {
  return stripVTControlCharacters(text).length;
}

const NO_LINES = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '' },
};
