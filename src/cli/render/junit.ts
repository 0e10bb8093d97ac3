/** Renders the report of a receiver as JUnit XML, which CI services show. */
import { escapeHtml } from '../../domain/escape-html.ts';
import type { CheckResult, ReceiverReport } from '../../receivers/receiver-check.ts';
import { failsInconclusive } from './receiver-report.ts';

export const JUNIT_FILE_HINT = 'Choose a writable file with --junit.';

/** One test case per check, with its rule as the class. Inconclusive checks are skipped, or failures if they make the exit code 1. */
export function renderJUnit(
  command: string,
  report: ReceiverReport & { readonly strict?: boolean },
  url: string,
): string {
  const failures = failsInconclusive(report) ? ['failed', 'inconclusive'] : ['failed'];
  const failed = report.checks.filter(({ status }) => failures.includes(status));
  const passed = report.checks.filter(({ status }) => status === 'passed');
  const totals = {
    tests: report.checks.length,
    failures: failed.length,
    errors: 0,
    skipped: report.checks.length - failed.length - passed.length,
  };
  const testCases = report.checks.map((check) => {
    const content = check.status === 'passed' ? [] : [renderResult(check, failed.includes(check))];
    return renderElement('testcase', { classname: check.rule, name: check.id }, content);
  });
  const suite = renderElement('testsuite', { name: url, ...totals }, testCases);
  const root = renderElement('testsuites', { name: command, ...totals }, [suite]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}

function renderResult({ status, sent, received, meaning }: CheckResult, isFailure: boolean): string {
  if (!isFailure) return renderElement('skipped', { message: meaning }, []);
  const message = status === 'failed' ? meaning : `Inconclusive. ${meaning}`;
  const details = received === '' ? `sent: ${sent}` : `sent: ${sent}\nreceived: ${received}`;
  return renderElement('failure', { message }, [escapeXml(details)]);
}

/** @param content XML, in lines */
function renderElement(name: string, attributes: object, content: readonly string[]): string {
  const words = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeAttribute(String(value))}"`,
  );
  const start = `<${name}${words.join('')}`;
  return content.length === 0 ? `${start}/>` : `${start}>\n${content.join('\n')}\n</${name}>`;
}

/** Characters that XML cannot represent, such as control characters in the response of a receiver. */
const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function escapeXml(text: string): string {
  return escapeHtml(text.replace(NOT_IN_XML, '\ufffd'));
}

/** A parser replaces line breaks and tabs in an attribute with spaces unless they are escaped. */
function escapeAttribute(text: string): string {
  return escapeXml(text).replace(/[\n\t\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
