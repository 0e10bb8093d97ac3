/** Things that a person can choose from: a prompt lists them, and completion suggests them. */
import type { Context } from '../context.ts';
import type { TerminalCapabilities } from '../io.ts';
import { type Column, renderTable } from '../render/table.ts';
import { stripStyles } from '../terminal-text.ts';

export interface ChoiceSource {
  /** What one of them is called: `delivery`. */
  readonly noun: string;
  /** What there is now, in the order in which it is most likely to be chosen. */
  list(context: Context): Promise<ChoiceList>;
}

export interface ChoiceList {
  readonly items: readonly Choice[];
  /** The lines of a table: its titles, and then one for each item. They are plain text. */
  toLines(terminalCapabilities: TerminalCapabilities): readonly string[];
}

export interface Choice {
  readonly value: string;
  /** What the columns after the value tell of it. */
  readonly description: string;
}

/** Offers the rows of a table whose first column is the value. */
export function toChoiceList<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  toValue: (row: Row) => string,
): ChoiceList {
  const describe = (row: Row) =>
    stripStyles(
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
    toLines: (terminalCapabilities) =>
      renderTable(columns, rows, terminalCapabilities).split('\n').map(stripStyles),
  };
}
