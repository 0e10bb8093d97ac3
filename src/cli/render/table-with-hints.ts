import type { TerminalCapabilities } from '../io.ts';
import { styleFor } from './style.ts';
import { type Column, renderTable } from './table.ts';

/** Renders a table with a hint under some rows. Nothing is truncated. */
export function renderTableWithHints<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  adviceOf: (row: Row) => string | null,
  terminalCapabilities: TerminalCapabilities,
): string {
  const table = renderTable(columns, rows, { ...terminalCapabilities, width: Number.POSITIVE_INFINITY });
  const [head, ...lines] = table.split('\n');
  const arrow = terminalCapabilities.unicode ? '→' : '->';
  const advised = lines.flatMap((line, index) => {
    const row = rows[index];
    const advice = row === undefined ? null : adviceOf(row);
    return advice === null ? [line] : [line, styleFor(terminalCapabilities).cyan(`  ${arrow} ${advice}`)];
  });
  return [head, ...advised].join('\n');
}
