/** Things that a person can choose from: a prompt lists them, and completion suggests them. */
import type { Context } from '../context.ts';
import type { Look } from '../io.ts';
import { type Column, renderTable } from '../render/table.ts';
import { toUnstyledLine } from '../terminal-text.ts';

export interface Offer {
  /** What one of them is called: `delivery`. */
  readonly noun: string;
  /** What there is now, in the order in which it is most likely to be chosen. */
  list(context: Context): Promise<Offered>;
}

export interface Offered {
  readonly items: readonly OfferedItem[];
  /** The lines of a table: its titles, and then one for each item. They are plain text. */
  toLines(look: Look): readonly string[];
}

export interface OfferedItem {
  readonly value: string;
  /** What the columns after the value tell of it. */
  readonly description: string;
}

/** Offers the rows of a table whose first column is the value. */
export function offerRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  toValue: (row: Row) => string,
): Offered {
  const describe = (row: Row) =>
    toUnstyledLine(
      columns
        .slice(1)
        .map(({ value }) => value(row))
        .join('  '),
    );
  return {
    items: rows.map((row) => ({
      value: toValue(row),
      description: describe(row),
    })),
    toLines: (look) => renderTable(columns, rows, look).split('\n').map(toUnstyledLine),
  };
}
