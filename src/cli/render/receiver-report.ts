/** Renders the report of `svc receiver check` as a table or as JUnit XML. */
import { formatCount } from '../../domain/message-parts.ts';
import { validDeliveryCheck } from '../../receiver/checks/valid-delivery-check.ts';
import type { CheckReport, CheckResult } from '../../receiver/run-checks.ts';
import { type JUnitResult, renderJUnit } from '../junit.ts';
import type { TerminalCapabilities } from '../process-context.ts';
import { styleCheckStatus } from './style.ts';
import { renderTableWithHints } from './table.ts';
import { wrapIndented } from './text-width.ts';

/**
 * Renders a row per check, with the meaning of failures, followed by the counts and the reasons for inconclusive checks. If no
 * valid delivery is accepted, no other check was run, and none has a row.
 */
export function renderReport(report: CheckReport, capabilities: TerminalCapabilities): string {
  const { checks, interrupted, passed, failed, inconclusive, skipped, observer_problem: problem } = report;
  const rejected = checks.filter(({ id, status }) => id === validDeliveryCheck.id && status !== 'passed');
  const shown = rejected.length > 0 ? rejected : checks;
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
  const results = checks.length === 0 ? [] : [table, ''];
  const notRun = formatCount(checks.length - shown.length, 'other check');
  const notRunNote =
    shown.length === checks.length
      ? []
      : [`${notRun} not run, because ${validDeliveryCheck.id} did not pass.`];
  const reasons = summarizeInconclusive({ ...report, checks: shown }, capabilities);
  return [...results, end, ...notRunNote, ...observerNote, ...noneNote, ...reasons].join('\n');
}

/** Each reason once, because many checks can share it. */
function summarizeInconclusive(report: CheckReport, capabilities: TerminalCapabilities): string[] {
  const { checks, strict } = report;
  const inconclusive = checks.filter((check) => check.status === 'inconclusive');
  if (inconclusive.length === 0) return [];
  const counts = new Map<string, number>();
  for (const { meaning } of inconclusive) counts.set(meaning, (counts.get(meaning) ?? 0) + 1);
  const width = String(Math.max(...counts.values())).length;
  return [
    '',
    strict
      ? 'Inconclusive, so they fail with --strict:'
      : failsInconclusive(report)
        ? 'Inconclusive:'
        : 'Inconclusive, so they neither passed nor failed. They fail with --strict:',
    ...Array.from(counts, ([reason, count]) =>
      wrapIndented(`  ${String(count).padStart(width)} × `, reason, capabilities),
    ).flat(),
  ];
}

/** Whether the inconclusive checks make the exit code 1. */
function failsInconclusive(report: CheckReport): boolean {
  return report.strict || isUndecided(report);
}

/** Whether all checks ended, and none shows anything. */
function isUndecided({ passed, failed, interrupted }: CheckReport): boolean {
  return passed === 0 && failed === 0 && !interrupted;
}

/** One test case per check, with its rule as the class. Inconclusive checks are skipped, or failures if they make the exit code 1. */
export function renderReceiverJUnit(report: CheckReport, url: string): string {
  const cases = report.checks.map((check) => ({
    classname: check.rule,
    name: check.id,
    result: toJUnitResult(check, failsInconclusive(report)),
  }));
  return renderJUnit('svc receiver check', [{ name: url, cases }]);
}

function toJUnitResult(
  { status, sent, received, meaning }: CheckResult,
  failsIfInconclusive: boolean,
): JUnitResult | null {
  if (status === 'passed') return null;
  if (status === 'skipped' || (status === 'inconclusive' && !failsIfInconclusive))
    return { kind: 'skipped', message: meaning };
  const message = status === 'failed' ? meaning : `Inconclusive. ${meaning}`;
  const details = [`sent: ${sent}`, ...(received === '' ? [] : [`received: ${received}`])].join('\n');
  return { kind: 'failure', message, details };
}
