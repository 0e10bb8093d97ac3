/** Renders JUnit XML. */
import { escapeHtml } from '../domain/escape-html.ts';

/** The hint if the report cannot be written. */
export const JUNIT_FILE_HINT = 'Choose a writable file with --junit.';

interface JUnitSuite {
  readonly name: string;
  readonly cases: readonly JUnitCase[];
  /** Undefined if the duration was not measured. */
  readonly durationMs?: number;
}

interface JUnitCase {
  readonly classname: string;
  readonly name: string;
  /** Undefined if the duration was not measured. */
  readonly durationMs?: number;
  /** Null if the case passed. */
  readonly result: JUnitResult | null;
  readonly output?: string;
}

export interface JUnitResult {
  readonly kind: 'failure' | 'skipped';
  readonly message: string;
  readonly type?: string;
  readonly details?: string;
}

/** @returns the XML, with a line break at the end */
export function renderJUnit(name: string, suites: readonly JUnitSuite[]): string {
  // A report without suites has the duration 0. One whose suites were not measured has none.
  const durations = suites.flatMap(({ durationMs }) => durationMs ?? []);
  const totals = toTotals(
    suites.flatMap(({ cases }) => cases),
    durations.length === 0 && suites.length > 0 ? undefined : sum(durations),
  );
  const root = renderElement('testsuites', { name, ...totals }, suites.map(renderSuite));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}

function renderSuite({ name, cases, durationMs }: JUnitSuite): string {
  return renderElement('testsuite', { name, ...toTotals(cases, durationMs) }, cases.map(renderCase));
}

function renderCase({ classname, name, durationMs, result, output }: JUnitCase): string {
  return renderElement('testcase', { classname, name, ...toTime(durationMs) }, [
    ...(result === null ? [] : [renderResult(result)]),
    ...(output === undefined ? [] : [renderElement('system-out', {}, [escapeXml(output)])]),
  ]);
}

function renderResult({ kind, message, type, details }: JUnitResult): string {
  const attributes = { ...(type !== undefined && { type }), message };
  return renderElement(kind, attributes, details === undefined ? [] : [escapeXml(details)]);
}

function toTotals(cases: readonly JUnitCase[], durationMs: number | undefined): XmlAttributes {
  const count = (kind: JUnitResult['kind']) => cases.filter(({ result }) => result?.kind === kind).length;
  return {
    tests: cases.length,
    failures: count('failure'),
    errors: 0,
    skipped: count('skipped'),
    ...toTime(durationMs),
  };
}

/** In seconds. */
function toTime(durationMs: number | undefined): XmlAttributes {
  return durationMs === undefined ? {} : { time: (durationMs / 1000).toFixed(3) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

type XmlAttributes = Readonly<Record<string, string | number>>;

/** @param content XML, in lines */
function renderElement(name: string, attributes: XmlAttributes, content: readonly string[]): string {
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
