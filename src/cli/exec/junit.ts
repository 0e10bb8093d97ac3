/** Deliveries as test cases in the XML that CI services read: a suite for each endpoint. */
import type { Attempt, DeliveryDetail } from '../../contract/deliveries.ts';
import { settledReasonText } from '../../domain/delivery.ts';

export function renderJUnit(deliveries: readonly DeliveryDetail[]): string {
  const suites = [...new Set(deliveries.map(nameEndpoint))].map((name) => {
    const cases = deliveries.filter((delivery) => nameEndpoint(delivery) === name);
    return element('testsuite', { name, ...toTotals(cases) }, cases.map(renderCase));
  });
  const root = element('testsuites', { name: 'svc deliveries', ...toTotals(deliveries) }, suites);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}

function nameEndpoint({ url, webhook_id: id }: DeliveryDetail): string {
  return `${url} (${id})`;
}

function toTotals(deliveries: readonly DeliveryDetail[]): Attributes {
  const count = (...statuses: readonly string[]) =>
    deliveries.filter(({ status }) => statuses.includes(status)).length;
  return {
    tests: deliveries.length,
    failures: count('failed', 'pending'),
    errors: 0,
    skipped: count('canceled'),
    time: toSeconds(deliveries.flatMap(({ attempts }) => attempts)),
  };
}

function renderCase(delivery: DeliveryDetail): string {
  const { event_type: type, id, url, attempts } = delivery;
  const facts = { classname: url, name: `${type} ${id}`, time: toSeconds(attempts) };
  return element('testcase', facts, renderResult(delivery));
}

function renderResult({ status, settled_reason: reason, attempts }: DeliveryDetail): string[] {
  if (status === 'succeeded') return [];
  const why = reason === null ? [] : [settledReasonText[reason]];
  if (status === 'canceled') return [element('skipped', { message: why.join() }, [])];
  const last = attempts.at(-1);
  const message = [status, ...why, last?.error ?? 'it was not attempted'].join(': ');
  return [
    element('failure', { type: last?.outcome ?? status, message }, [
      escapeText(attempts.map(describeAttempt).join('\n')),
    ]),
  ];
}

function describeAttempt({ number, sent_at: at, outcome, response_status: status, error }: Attempt): string {
  const answer = status === null ? outcome : `${outcome} ${status}`;
  return `#${number} ${at} ${answer}${error === null ? '' : `: ${error}`}`;
}

function toSeconds(attempts: readonly Attempt[]): string {
  return (attempts.reduce((sum, { duration_ms: ms }) => sum + ms, 0) / 1000).toFixed(3);
}

type Attributes = Readonly<Record<string, string | number>>;

/** @param content what stands in it, escaped already. */
function element(name: string, attributes: Attributes, content: readonly string[]): string {
  const words = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeText(String(value))}"`);
  const head = `${name}${words.join('')}`;
  return content.length === 0 ? `<${head}/>` : `<${head}>\n${content.join('\n')}\n</${name}>`;
}

const entities: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' },
  ...{ '\n': '&#10;', '\t': '&#9;', '\r': '&#13;' },
};

/** Text of a receiver may hold what XML has no way to write. */
const notInXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function escapeText(text: string): string {
  return text
    .replace(notInXml, '\ufffd')
    .replace(/[&<>"\n\t\r]/g, (character) => entities[character] ?? character);
}
