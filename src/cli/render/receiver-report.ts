import { checkStatusSymbols } from '../../domain/status-symbols.ts';
import type { CheckStatus } from '../../receiver/receiver-check.ts';
import type { CheckReport, CheckResult } from '../../receiver/run-checks.ts';
import type { TerminalCapabilities } from '../io.ts';
import { styleFor } from './style.ts';
import { renderTableWithHints } from './table-with-hints.ts';

/** Renders a row per check, with the meaning of failures, and the counts at the end. */
export function renderReport(report: CheckReport, terminalCapabilities: TerminalCapabilities): string {
  const table = renderTableWithHints(
    [
      { title: 'STATUS', value: ({ status }) => styleCheckStatus(status, terminalCapabilities) },
      { title: 'CHECK', value: ({ id }) => id },
      { title: 'SENT', value: ({ sent }) => sent },
      { title: 'RECEIVED', value: ({ received }) => received },
    ],
    report.checks,
    (check) => findAdvice(check, report.checks),
    terminalCapabilities,
  );
  const { passed, failed, not_observable, observer_problem: problem } = report;
  const counts = `${passed} passed, ${failed} failed, ${not_observable} not observable.`;
  const note = problem === null ? [] : [`--observe did not always return a count: ${problem}`];
  return [table, '', counts, ...note].join('\n');
}

/** A meaning shared by several checks is shown only once, at the first one. */
function findAdvice({ id, status, meaning }: CheckResult, checks: readonly CheckResult[]): string | null {
  if (status === 'passed') return null;
  if (status === 'failed') return meaning;
  return checks.find((other) => other.meaning === meaning)?.id === id ? meaning : null;
}

function styleCheckStatus(status: CheckStatus, terminalCapabilities: TerminalCapabilities): string {
  const style = styleFor(terminalCapabilities);
  const color = { passed: style.green, failed: style.red, not_observable: style.dim };
  const words = status.replace('_', ' ');
  return color[status](terminalCapabilities.unicode ? `${checkStatusSymbols[status]} ${words}` : words);
}
