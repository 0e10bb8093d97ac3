/** Writes deliveries as test cases in JUnit XML, with a suite for each endpoint. */
import { accessSync, constants, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Attempt, DeliveryDetail } from '../../contract/delivery-schemas.ts';
import { createFolder } from '../../create-folder.ts';
import { describeOutcome, settledReasonDescriptions } from '../../domain/delivery.ts';
import { createWriteError } from '../file-access.ts';
import { escapeXml, startXmlTag, type XmlAttributes } from '../xml.ts';

/**
 * Names are the same in every run of the same test: endpoints, and the deliveries of each event type to an endpoint, are
 * numbered from oldest to newest. IDs, which differ, are in the output of each case.
 * @param failuresAreExpected whether a failed delivery passes
 */
export function renderDeliveryJUnit(
  deliveries: readonly DeliveryDetail[],
  failuresAreExpected: boolean,
): string {
  const endpoints = [...new Set(deliveries.map(({ webhook_id: id }) => id))];
  const suites = endpoints.map((endpoint, index) => {
    const endpointDeliveries = deliveries.filter(({ webhook_id: id }) => id === endpoint);
    const name = toSuiteName(index + 1, endpointDeliveries[0]?.url ?? '');
    const counts = new Map<string, number>();
    const cases = endpointDeliveries.map((delivery) => {
      const ordinal = (counts.get(delivery.event_type) ?? 0) + 1;
      counts.set(delivery.event_type, ordinal);
      const time = toSeconds(delivery.attempts);
      const caseAttributes = { classname: name, name: `${delivery.event_type} #${ordinal}`, time };
      const result = failuresAreExpected && delivery.status === 'failed' ? [] : renderResult(delivery);
      return renderElement('testcase', caseAttributes, [...result, renderOutput(delivery)]);
    });
    return renderElement('testsuite', { name, ...toTotals(endpointDeliveries, failuresAreExpected) }, cases);
  });
  const totals = toTotals(deliveries, failuresAreExpected);
  const root = renderElement('testsuites', { name: 'svc deliveries', ...totals }, suites);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}

/** Without the port, because tests often use a random one. */
function toSuiteName(ordinal: number, url: string): string {
  const { hostname, pathname } = new URL(url);
  return `endpoint ${ordinal}: ${hostname}${pathname}`;
}

function toTotals(deliveries: readonly DeliveryDetail[], failuresAreExpected: boolean): XmlAttributes {
  const count = (...statuses: readonly string[]) =>
    deliveries.filter(({ status }) => statuses.includes(status)).length;
  return {
    tests: deliveries.length,
    failures: failuresAreExpected ? count('pending') : count('failed', 'pending'),
    errors: 0,
    skipped: count('canceled'),
    time: toSeconds(deliveries.flatMap(({ attempts }) => attempts)),
  };
}

/** The IDs, port and times, which differ from run to run, with the result. */
function renderOutput({ id, event_id, webhook_id, url, status, attempts }: DeliveryDetail): string {
  const lines = [
    `${id} of ${event_id} to ${url} (${webhook_id}): ${status}`,
    ...attempts.map(describeAttempt),
  ];
  return renderElement('system-out', {}, [escapeXml(lines.join('\n'))]);
}

function renderResult({ status, settled_reason: reason, attempts }: DeliveryDetail): string[] {
  if (status === 'succeeded') return [];
  const reasons = reason === null ? [] : [settledReasonDescriptions[reason]];
  if (status === 'canceled') return [renderElement('skipped', { message: reasons.join() }, [])];
  const last = attempts.at(-1);
  const lastOutcome = last === undefined ? 'not attempted' : (last.error ?? describeOutcome(last));
  const message = [status, ...reasons, lastOutcome].join(': ');
  return [
    renderElement('failure', { type: last?.outcome ?? status, message }, [
      escapeXml(attempts.map(describeAttempt).join('\n')),
    ]),
  ];
}

function describeAttempt(attempt: Attempt): string {
  const { number, sent_at: at, error } = attempt;
  return `#${number} ${at} ${error ?? describeOutcome(attempt)}`;
}

/** Total duration of the attempts. */
function toSeconds(attempts: readonly Attempt[]): string {
  return (attempts.reduce((sum, { duration_ms: ms }) => sum + ms, 0) / 1000).toFixed(3);
}

/** @param content XML, in lines */
function renderElement(name: string, attributes: XmlAttributes, content: readonly string[]): string {
  const start = startXmlTag(name, attributes);
  return content.length === 0 ? `${start}/>` : `${start}>\n${content.join('\n')}\n</${name}>`;
}

const HINT = 'Choose a writable file with --junit.';

/**
 * Creates the folder of the report before the command runs, so that problems are reported early.
 * @throws SvcError `usage` when the file cannot be written.
 */
export function assertReportWritable(path: string): void {
  const folder = dirname(path);
  try {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) {
      throw new Error(`${folder} is not a folder`);
    }
    createFolder(folder);
    accessSync(folder, constants.W_OK);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new Error('it is a folder');
  } catch (error) {
    throw createWriteError(path, error, HINT);
  }
}

/** Writes the report completely or not at all. @throws SvcError `usage` when it cannot be written */
export function writeReport(path: string, report: string): void {
  const unfinished = `${path}.${process.pid}.part`;
  try {
    writeFileSync(unfinished, report, { flush: true });
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw createWriteError(path, error, HINT);
  }
}
