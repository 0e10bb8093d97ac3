/** Renders the report of `svc receiver check` as a table. */
import { formatCount } from '../../domain/message-parts.ts';
import type { CheckResult, ReceiverReport } from '../../receivers/receiver-check.ts';
import type { CheckReport } from '../../receivers/run-checks.ts';
import type { TerminalCapabilities } from '../process-context.ts';
import { styleCheckStatus } from './style.ts';
import { renderTableWithHints } from './table.ts';
import { wrapIndented } from './text-width.ts';

/**
 * Renders a row per check, with the meaning of failures, followed by the counts and the reasons for inconclusive checks. Checks
 * that share a reason and received nothing have no rows, because one problem, such as a rejected valid delivery, can make all of
 * them inconclusive. JSON has all of them.
 */
export function renderReport(report: CheckReport, capabilities: TerminalCapabilities): string {
  const { checks, interrupted, passed, failed, inconclusive, skipped, observer_problem: problem } = report;
  const reasons = countReasons(checks);
  const shown = checks.filter(
    ({ status, received, meaning }) =>
      status !== 'inconclusive' || received !== '' || reasons.get(meaning) === 1,
  );
  const table = renderTableWithHints(
    [
      {
        title: 'STATUS',
        value: ({ status }) => styleCheckStatus(status, capabilities),
      },
      { title: 'CHECK', value: ({ id }) => id },
      { title: 'SENT', value: ({ sent }) => sent, hideOrder: 1, canTruncate: true },
      { title: 'RECEIVED', value: ({ received }) => received, canTruncate: true },
    ],
    shown,
    ({ status, meaning }) => (status === 'failed' || status === 'skipped' ? meaning : null),
    capabilities,
  );
  const skippedCount = skipped === 0 ? '' : `, ${skipped} skipped`;
  const counts = `${passed} passed, ${failed} failed${skippedCount}, ${inconclusive} inconclusive.`;
  const end = interrupted ? `Interrupted after ${formatCount(checks.length, 'check')}: ${counts}` : counts;
  const observerNote = problem === null ? [] : wrapIndented('', `--observe failed: ${problem}`, capabilities);
  const noneNote = isUndecided(report) ? ['No check passed, so the exit code is 1.'] : [];
  const results = shown.length === 0 ? [] : [table, ''];
  const lines = renderReasons(reasons, report, capabilities);
  return [...results, end, ...observerNote, ...noneNote, ...lines].join('\n');
}

function countReasons(checks: readonly CheckResult[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { status, meaning } of checks) {
    if (status === 'inconclusive') counts.set(meaning, (counts.get(meaning) ?? 0) + 1);
  }
  return counts;
}

function renderReasons(
  reasons: ReadonlyMap<string, number>,
  report: CheckReport,
  capabilities: TerminalCapabilities,
): string[] {
  if (reasons.size === 0) return [];
  const width = String(Math.max(...reasons.values())).length;
  return [
    '',
    report.strict
      ? 'Inconclusive, so they fail with --strict:'
      : failsInconclusive(report)
        ? 'Inconclusive:'
        : 'Inconclusive, so they neither passed nor failed. They fail with --strict:',
    ...Array.from(reasons, ([reason, count]) =>
      wrapIndented(`  ${String(count).padStart(width)} × `, reason, capabilities),
    ).flat(),
  ];
}

/** Whether the inconclusive checks make the exit code 1. */
export function failsInconclusive(report: ReceiverReport & { readonly strict?: boolean }): boolean {
  return report.strict === true || isUndecided(report);
}

/** Whether all checks ended, and none shows anything. */
function isUndecided({ passed, failed, interrupted }: ReceiverReport): boolean {
  return passed === 0 && failed === 0 && !interrupted;
}
