/** The possible values of an option or argument, for prompts and completion. */
import type { Hint } from '../../domain/errors.ts';
import type { Context } from '../context.ts';
import type { Column } from '../render/table.ts';
import { stripStyles } from '../terminal-text.ts';

export interface ChoiceSource {
  /** What a choice is: `delivery`. */
  readonly noun: string;
  readonly plural: string;
  /** Where the values are, without a terminal: such as `svc deliveries list`. */
  readonly listHint: Hint | string;
  /** What to do if there are no choices. */
  readonly emptyHint?: Hint;
  /** The current choices, most likely first. */
  list(context: Context): Promise<readonly Choice[]>;
}

export interface Choice {
  readonly value: string;
  readonly description: string;
}

/** Converts the rows of a table. The description of a row is all columns but that of its value. */
export function toChoiceList<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  toValue: (row: Row) => string,
): readonly Choice[] {
  return rows.map((row) => {
    const value = toValue(row);
    const texts = columns.map((column) => column.value(row)).filter((text) => text !== '' && text !== value);
    return { value, description: stripStyles(texts.join('  ')) };
  });
}
