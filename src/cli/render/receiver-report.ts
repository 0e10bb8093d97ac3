import type { CheckStatus } from '../../receiver/check.ts';
import type { CheckResult, Report } from '../../receiver/conduct.ts';
import type { Look } from '../io.ts';
import { renderAdvisedTable } from './advised-table.ts';
import { styleFor } from './style.ts';

const symbols = {
  passed: '✓',
  failed: '✗',
  not_observable: '–',
} as const satisfies Record<CheckStatus, string>;

/** A row for each check, what a failure means under its own, and the count of each status at the end. */
export function renderReport(report: Report, look: Look): string {
  const table = renderAdvisedTable(
    [
      { title: 'STATUS', value: ({ status }) => paint(status, look) },
      { title: 'CHECK', value: ({ id }) => id },
      { title: 'SENT', value: ({ sent }) => sent },
      { title: 'RECEIVED', value: ({ received }) => received },
    ],
    report.checks,
    (check) => findAdvice(check, report.checks),
    look,
  );
  const { passed, failed, not_observable, observer_problem: problem } = report;
  const counts = `${passed} passed, ${failed} failed, ${not_observable} not observable.`;
  const note = problem === null ? [] : [`--observe did not always give a count: ${problem}`];
  return [table, '', counts, ...note].join('\n');
}

/** What several checks that cannot tell anything have in common is said at the first of them. */
function findAdvice({ id, status, meaning }: CheckResult, checks: readonly CheckResult[]): string | null {
  if (status === 'passed') return null;
  if (status === 'failed') return meaning;
  return checks.find((other) => other.meaning === meaning)?.id === id ? meaning : null;
}

function paint(status: CheckStatus, look: Look): string {
  const style = styleFor(look);
  const color = { passed: style.green, failed: style.red, not_observable: style.dim };
  const words = status.replace('_', ' ');
  return color[status](look.unicode ? `${symbols[status]} ${words}` : words);
}
