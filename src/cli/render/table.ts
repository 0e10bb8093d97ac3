/** Renders tables, lists of fields, and pages of lists. */
import Table from 'cli-table3';
import { formatHint, type Hint } from '../../domain/errors.ts';
import type { Fields, Page } from '../../resources/define-resource.ts';
import type { Context } from '../context.ts';
import { warnAboutMistypedTypes } from '../endpoint-warnings.ts';
import type { TerminalCapabilities } from '../process-context.ts';
import { printHint } from '../report-error.ts';
import { sanitizeLine } from '../terminal-text.ts';
import { styleFor } from './style.ts';
import { truncateLine, widthOf, wrapIndented } from './text-width.ts';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  /** In a narrow terminal, columns are hidden in this order, 1 first. Without a number, only an empty column is hidden. */
  readonly hideOrder?: number;
  /** Whether its values can be truncated before a column is hidden. */
  readonly canTruncate?: boolean;
  /** Whether the column is hidden if it is empty, even if there is space for it. */
  readonly hideIfEmpty?: boolean;
}

/**
 * The columns of a table of fields.
 * @param changes for a field that is not shown as its text
 */
export function toColumns<Row extends object>(
  table: Fields,
  changes: Readonly<Record<string, Partial<Column<Row>>>>,
): readonly Column<Row>[] {
  const rows = Object.entries(table).sort(
    ([, a], [, b]) => Number(a.column?.isLast ?? false) - Number(b.column?.isLast ?? false),
  );
  return rows.flatMap(([name, { label, column }]) => {
    if (column === undefined) return [];
    const value = (row: Row) => String((row as Readonly<Record<string, unknown>>)[name] ?? '');
    return [{ title: label.toUpperCase(), value, ...column, ...changes[name] }];
  });
}

const GAP = 2;
/** A column is not truncated below this width. Two such columns beside an ID fit 80 columns. */
const MIN_WIDTH = 22;

/** A column with its texts and its final width. */
interface FittedColumn<Row> {
  readonly column: Column<Row>;
  readonly texts: readonly string[];
  readonly width: number;
}

/** Renders a table without borders that fits the terminal. */
export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  capabilities: TerminalCapabilities,
): string {
  return renderRows(columns, rows, capabilities).join('\n');
}

/** The titles and each row of a table. One that is still wider than the terminal has several lines. */
function renderRows<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  capabilities: TerminalCapabilities,
): string[] {
  const measured = columns.map((column) => measureColumn(column, rows));
  const fitted = fitColumns(
    measured.filter((column) => !(column.column.hideIfEmpty && isEmptyColumn(column))),
    capabilities,
  );
  const { dim } = styleFor(capabilities);
  const titles = fitted.map(({ column }) => dim(column.title));
  const lines = rows.map((_, index) => fitted.map(({ texts }) => texts[index] ?? ''));
  const isTooWide = widthOfTable(fitted) > capabilities.width;
  return [titles, ...lines].map((texts) => {
    const cells = texts.map((text, index) => text + ' '.repeat((fitted[index]?.width ?? 0) - widthOf(text)));
    const line = cells.join(' '.repeat(GAP)).replace(/ +$/, '');
    return isTooWide && widthOf(line) > capabilities.width ? wrapCells(texts, capabilities) : line;
  });
}

function widthOfTable<Row>(columns: readonly FittedColumn<Row>[]): number {
  return columns.reduce((sum, { width }) => sum + width, GAP * (columns.length - 1));
}

/** The cells of a row on as few lines as possible. Only a word that is longer than a line is split. */
function wrapCells(texts: readonly string[], capabilities: TerminalCapabilities): string {
  const gap = ' '.repeat(GAP);
  const lines: string[] = [];
  for (const text of texts.filter((each) => each !== '')) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last) + GAP + widthOf(text) <= capabilities.width) {
      lines[lines.length - 1] = last + gap + text;
    } else lines.push(...wrapIndented(last === undefined ? '' : gap, text, capabilities));
  }
  return lines.join('\n');
}

function measureColumn<Row>(column: Column<Row>, rows: readonly Row[]): FittedColumn<Row> {
  const texts = rows.map((row) => sanitizeLine(column.value(row)));
  // Many rows have the same styled text, such as a status. Not `Math.max(...)`, which fails for a hundred thousand rows.
  const width = [...new Set(texts)].reduce(
    (max, text) => Math.max(max, widthOf(text)),
    widthOf(column.title),
  );
  return { column, texts, width };
}

/** Truncates columns that can be truncated. If that is not enough, hides columns, empty ones first, until the rest fits. */
function fitColumns<Row>(
  columns: readonly FittedColumn<Row>[],
  capabilities: TerminalCapabilities,
): readonly FittedColumn<Row>[] {
  const excess = widthOfTable(columns) - capabilities.width;
  const shrinkable = columns.reduce((sum, column) => sum + shrinkableWidth(column), 0);
  const nextHidden = columns.find(isEmptyColumn) ?? findFirstToHide(columns);
  if (excess <= shrinkable || nextHidden === undefined) return shrink(columns, excess, capabilities);
  return fitColumns(
    columns.filter((column) => column !== nextHidden),
    capabilities,
  );
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
function shrink<Row>(
  columns: readonly FittedColumn<Row>[],
  excess: number,
  capabilities: TerminalCapabilities,
): readonly FittedColumn<Row>[] {
  let remaining = Math.max(0, excess);
  return columns
    .toReversed()
    .map((column) => {
      const reduction = Math.min(remaining, shrinkableWidth(column));
      if (reduction === 0) return column;
      remaining -= reduction;
      const width = column.width - reduction;
      const texts = column.texts.map((text) => truncateLine({ ...capabilities, width }, text));
      return { ...column, width, texts };
    })
    .toReversed();
}

/** Renders a table with a hint under some rows. A hint without a command, which could be copied, is wrapped. */
export function renderTableWithHints<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  findHint: (row: Row) => Hint | string | null,
  capabilities: TerminalCapabilities,
): string {
  const [titles, ...lines] = renderRows(columns, rows, capabilities);
  const arrow = capabilities.unicode ? '  → ' : '  -> ';
  const withHints = lines.flatMap((line, index) => {
    const row = rows[index];
    const hint = row === undefined ? null : findHint(row);
    if (hint === null) return [line];
    const hintLines =
      typeof hint === 'string' ? wrapIndented(arrow, hint, capabilities) : [arrow + formatHint(hint)];
    return [line, ...hintLines.map((hintLine) => styleFor(capabilities).cyan(hintLine))];
  });
  return [titles, ...withHints].join('\n');
}

/** The borders of cli-table3: only the gap between two columns. */
const chars = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  mid: '',
  'mid-mid': '',
  'left-mid': '',
  'right-mid': '',
  left: '',
  right: '',
  middle: ' '.repeat(GAP),
};
const style = { 'padding-left': 0, 'padding-right': 0, border: [], compact: true };

/** Renders names and aligned values, one per line. A null value is skipped. */
export function renderFields(
  fields: Readonly<Record<string, string | number | null>>,
  capabilities: { readonly color: boolean },
): string {
  const { dim } = styleFor(capabilities);
  const table = new Table({ chars, style });
  for (const [name, value] of Object.entries(fields)) {
    if (value !== null) table.push([dim(name), String(value)]);
  }
  return table.toString().replace(/ +$/gm, '');
}

/**
 * Prints a page of a list, and without `--json` a hint for the next one. Warns if the page is empty because the event type is probably mistyped.
 * @param plural for the message of an empty page
 * @param options.type event type that the items are filtered by
 * @param options.jsonText of the page, if it must keep the digits of numbers
 */
export async function printPage<Row>(
  context: Context,
  page: Page<Row>,
  plural: string,
  columns: readonly Column<Row>[],
  {
    type,
    jsonText = JSON.stringify(page),
  }: { readonly type?: string | undefined; readonly jsonText?: string } = {},
): Promise<void> {
  if (page.data.length === 0) await warnAboutMistypedTypes([type], context);
  if (page.data.length === 0 && !context.json) {
    context.io.note(`No ${plural}.`);
    return;
  }
  context.printJsonText(jsonText, () => renderTable(columns, page.data, context.io));
  if (page.has_more && !context.json)
    printHint(`Add --starting-after ${page.end_cursor} for the next page.`, context.io);
}
