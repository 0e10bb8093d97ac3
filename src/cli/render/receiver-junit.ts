/** The report of a check in the form that CI systems read test results in. */
import type { CheckReport, CheckResult } from '../../receiver/run-checks.ts';

/** A test case for each check, in the class of its rule. What is not observable counts as skipped. */
export function renderReceiverJUnit({ checks, failed, not_observable }: CheckReport, url: string): string {
  const counts = `tests="${checks.length}" failures="${failed}" errors="0" skipped="${not_observable}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="svc receiver check" ${counts}>`,
    `  <testsuite name="${escapeXml(url)}" ${counts}>`,
    ...checks.map(toCase),
    '  </testsuite>',
    '</testsuites>',
  ].join('\n');
}

function toCase({ id, rule, status, sent, received, meaning }: CheckResult): string {
  const head = `    <testcase classname="${rule}" name="${id}"`;
  if (status === 'passed') return `${head}/>`;
  const account = [`sent: ${sent}`, ...(received === '' ? [] : [`received: ${received}`])].join('\n');
  const result =
    status === 'failed'
      ? `<failure message="${escapeXml(meaning)}">${escapeXml(account)}</failure>`
      : `<skipped message="${escapeXml(meaning)}"/>`;
  return `${head}>\n      ${result}\n    </testcase>`;
}

const entities: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' },
};

/** XML has no way to write most control characters. */
function escapeXml(text: string): string {
  return text
    .replace(/[&<>"]/g, (character) => entities[character] ?? '')
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f]/g, '\ufffd');
}
