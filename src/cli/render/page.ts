import type { Page } from '../../contract/resources.ts';
import type { Context } from '../context.ts';
import { printHint } from './hint.ts';
import { type Column, renderTable } from './table.ts';

/** Prints a page of a list, and a hint for the next one. `things` is the plural for the message of an empty page. */
export function printPage<Row>(
  context: Context,
  page: Page<Row>,
  things: string,
  columns: readonly Column<Row>[],
): void {
  if (page.data.length === 0 && !context.json) {
    context.io.note(`No ${things}.`);
    return;
  }
  context.print(page, () => renderTable(columns, page.data, context.io));
  if (page.has_more) printHint(`Add --starting-after ${page.end_cursor} for the next page.`, context.io);
}
