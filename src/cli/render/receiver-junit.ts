/** Writes the report of `svc receiver check` as JUnit XML. */

import type { CheckReport, CheckResult } from '../../receiver/run-checks.ts';
import { escapeXml, startXmlTag } from '../xml.ts';

/** One test case per check, with its rule as the class. Checks that are not observable are skipped. */
export function renderReceiverJUnit({ checks, failed, not_observable }: CheckReport, url: string): string {
  const counts = { tests: checks.length, failures: failed, errors: 0, skipped: not_observable };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `${startXmlTag('testsuites', { name: 'svc receiver check', ...counts })}>`,
    `  ${startXmlTag('testsuite', { name: url, ...counts })}>`,
    ...checks.map(toCase),
    '  </testsuite>',
    '</testsuites>',
  ].join('\n');
}

function toCase({ id, rule, status, sent, received, meaning }: CheckResult): string {
  const head = `    ${startXmlTag('testcase', { classname: rule, name: id })}`;
  if (status === 'passed') return `${head}/>`;
  const account = [`sent: ${sent}`, ...(received === '' ? [] : [`received: ${received}`])].join('\n');
  const result =
    status === 'failed'
      ? `${startXmlTag('failure', { message: meaning })}>${escapeXml(account)}</failure>`
      : `${startXmlTag('skipped', { message: meaning })}/>`;
  return `${head}>\n      ${result}\n    </testcase>`;
}
