import type { Page } from '../../contract/resources.ts';
import type { Context } from '../context.ts';
import { printHint } from './hint.ts';
import { type Column, renderTable } from './table.ts';

/** Prints a page of a list, and how to get the next one. `things` is the plural that an empty page is told with. */
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
  if (page.has_more) printHint(`For the next page add --starting-after ${page.end_cursor}.`, context.io);
}
