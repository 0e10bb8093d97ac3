/** Renders a JUnit report, which CI services show. */
import { escapeHtml } from '../../domain/escape-html.ts';

/** The hint if the report cannot be written. */
export const JUNIT_FILE_HINT = 'Choose a writable file with --junit.';

export interface JUnitResult {
  readonly kind: 'failure' | 'skipped';
  readonly message: string;
  readonly details?: string;
}

interface JUnitCase {
  readonly classname: string;
  readonly name: string;
  /** Null for a case that passed. */
  readonly result: JUnitResult | null;
}

/** @param url of the receiver, as the name of the suite */
export function renderJUnit(command: string, url: string, cases: readonly JUnitCase[]): string {
  const count = (kind: JUnitResult['kind']) => cases.filter(({ result }) => result?.kind === kind).length;
  const totals = {
    tests: cases.length,
    failures: count('failure'),
    errors: 0,
    skipped: count('skipped'),
  };
  const testCases = cases.map(({ classname, name, result }) => {
    const content = result?.details === undefined ? [] : [escapeXml(result.details)];
    const element = result === null ? [] : [renderElement(result.kind, { message: result.message }, content)];
    return renderElement('testcase', { classname, name }, element);
  });
  const suite = renderElement('testsuite', { name: url, ...totals }, testCases);
  const root = renderElement('testsuites', { name: command, ...totals }, [suite]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
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
