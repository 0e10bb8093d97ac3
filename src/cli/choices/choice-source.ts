/** Lists of choices, for prompts and for shell completion. */
import type { Context } from '../context.ts';
import type { TerminalCapabilities } from '../io.ts';
import { type Column, renderTable } from '../render/table.ts';
import { stripStyles } from '../terminal-text.ts';

export interface ChoiceSource {
  /** What a choice is: `delivery`. */
  readonly noun: string;
  readonly plural: string;
  /** What to do if there are no choices: `Create one with: svc trigger`. */
  readonly emptyHint?: string;
  /** The current choices, most likely first. */
  list(context: Context): Promise<ChoiceList>;
}

export interface ChoiceList {
  readonly items: readonly Choice[];
  /** The lines of a table without styles: its titles, then one line per item. */
  toLines(terminalCapabilities: TerminalCapabilities): readonly string[];
}

export interface Choice {
  readonly value: string;
  /** The columns after the value. */
  readonly description: string;
}

/** Converts rows of a table whose first column is the value. */
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
