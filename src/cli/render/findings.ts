import type { Finding, FindingStatus } from '../../control/findings.ts';
import { checkStatusSymbols } from '../../domain/delivery.ts';
import type { TerminalCapabilities } from '../io.ts';
import { styleFor } from './style.ts';
import { renderTableWithHints } from './table.ts';

/** Renders findings as a table, with hints. Nothing is truncated. */
export function renderFindings(
  findings: readonly Finding[],
  terminalCapabilities: TerminalCapabilities,
): string {
  return renderTableWithHints(
    [
      { title: 'STATUS', value: ({ status }) => styleFindingStatus(status, terminalCapabilities) },
      { title: 'CHECK', value: ({ title }) => title },
      { title: 'RESULT', value: ({ detail }) => detail },
    ],
    findings,
    ({ remedy }) => remedy,
    terminalCapabilities,
  );
}

function styleFindingStatus(status: FindingStatus, terminalCapabilities: TerminalCapabilities): string {
  const style = styleFor(terminalCapabilities);
  const color = { ok: style.green, warning: style.yellow, problem: style.red, skipped: style.dim };
  return color[status](terminalCapabilities.unicode ? `${checkStatusSymbols[status]} ${status}` : status);
}
