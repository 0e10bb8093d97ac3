/** Compares the fields and the headers of recorded messages with those of the emulator, at the level of types. */
import * as v from 'valibot';
import { isObject } from '../domain/json.ts';
import { ErrorBody } from '../operations/error-schemas.ts';
import { CreatedWebhook } from '../resources/endpoint.ts';
import { Envelope, Event, EventPage } from '../resources/event.ts';
import { Workspace } from '../resources/workspace.ts';
import type { Exchange } from './exchange.ts';
import { compareFixed, type Deviation, type Evidence, type Observation, toEvidence } from './finding.ts';
import { type ApiRequest, type Fields, isSuccess, listFields, type Traffic } from './sort-traffic.ts';

/** The records of each kind in a recording, as observations of their differences from the records of the emulator. */
function compareShapes({ requests, attempts }: Traffic) {
  const ofResponses = (...operations: readonly ApiRequest['operation'][]) =>
    requests
      .filter((request) => operations.includes(request.operation) && isSuccess(request))
      .map((exchange) => ({ exchange, value: exchange.result }));
  const envelopes = attempts.map((exchange) => ({ exchange, value: exchange.json }));
  const events = [
    ...ofResponses('createEvent', 'getEvent'),
    ...requests.flatMap((exchange) => exchange.items.map((value) => ({ exchange, value }))),
    ...envelopes.map(({ exchange, value }) => ({ exchange, value: listFields(value).data })),
  ];
  const errors = requests.map((exchange) => ({ exchange, value: exchange.result.error }));
  return {
    event: compareShape('event', Event.entries, events),
    workspace: compareShape('workspace', Workspace.entries, ofResponses('getWorkspace')),
    webhook: compareShape('webhook', CreatedWebhook.entries, ofResponses('createWebhook')),
    envelope: compareShape('envelope', Envelope.entries, envelopes),
    page: compareShape('page', EventPage.entries, ofResponses('listEvents')),
    error: compareShape('error', ErrorBody.entries.error.entries, errors),
  };
}

/** For each record its differences from the records of the emulator, or null. A response that is not JSON has no fields. */
function compareShape(
  name: string,
  entries: v.ObjectEntries,
  records: readonly Observation<unknown>[],
): Observation<Deviation>[] {
  return records.flatMap(({ exchange, value: record }) => {
    if (!isObject(record) || Object.keys(record).length === 0) return [];
    const deviations = describeShape(name, entries, record);
    const text = `${name} with the fields ${Object.keys(record).join(', ')}`;
    if (deviations.length === 0) return { exchange, value: null, text };
    return deviations.map((value): Observation<Deviation> => ({ exchange, value }));
  });
}

/** A value that is not valid can have the correct type, and the fields of a field are records themselves. */
function describeShape(name: string, entries: v.ObjectEntries, record: Fields): string[] {
  const { issues = [] } = v.safeParse(v.strictObject(entries), record);
  return issues.flatMap(({ kind, type, input, path: [item, ...rest] = [] as never }) => {
    const isName = type === 'picklist' && typeof input === 'string';
    if (kind !== 'schema' || rest.length > 0 || isName) return [];
    const field = String(item?.key);
    const value = record[field];
    const actual = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
    if (!Object.hasOwn(record, field)) return `${name} without the field ${field}`;
    if (!Object.hasOwn(entries, field)) return `${name} with the field ${field}, of type ${actual}`;
    return `${name} with ${field} as ${actual}`;
  });
}

/** Headers of connections, proxies, caches and browsers, which say nothing about the service. */
const TRANSPORT_HEADER =
  /^(?:date|server|connection|keep-alive|transfer-encoding|content-(?:length|encoding|type)|vary|via|etag|age|alt-svc|nel|report-to|reporting-endpoints|server-timing|cache-control|pragma|expires|set-cookie|strict-transport-security|referrer-policy|permissions-policy|content-security-policy|access-control-.*|cross-origin-.*|cf-.*|x-(?:amz|amzn|cache|served|timer|fastly|envoy|forwarded|real|b3|cloud|vercel|frame|xss|content-type|powered|request-start|runtime).*|fly-.*|traceparent|tracestate|baggage|host|accept(?:-.*)?|user-agent|forwarded|te|cookie|authorization|proxy-.*|priority|upgrade-insecure-requests|sec-.*|origin|referer|ngrok-.*|cdn-loop|true-client-ip|location)$/;
const DELIVERY_HEADERS = ['service-signature', 'service-timestamp', 'service-delivery-id'];
/** Those of the emulator, and those that the findings about gaps report. */
const KNOWN_HEADER =
  /^(?:retry-after|allow|www-authenticate|service-(?:signature|timestamp|delivery-id))$|request-id$|rate-?limit|idempot/;
/** Statuses of responses that the emulator has, §7 and gap `error.codes`. Servers in front of an API send 5xx. */
const KNOWN_STATUSES = [
  0, 200, 201, 304, 400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 502, 503, 504,
];

/** A difference that belongs to no gap. */
export interface OtherDifference {
  readonly text: string;
  readonly evidence: readonly Evidence[];
}

/** The findings for the gaps about the fields of records, and the differences that belong to no gap. */
export function compareMessages(traffic: Traffic) {
  const found = new Map<string, OtherDifference>();
  const report = (text: string, exchange: Exchange) => {
    if (!found.has(text)) found.set(text, { text, evidence: toEvidence([{ exchange, value: text }]) });
  };
  for (const request of traffic.requests) {
    const { status, responseHeaders } = request;
    for (const name of responseHeaders.keys()) {
      if (!TRANSPORT_HEADER.test(name) && !KNOWN_HEADER.test(name))
        report(`A response has the header ${name}, which the emulator does not send.`, request);
    }
    if (!KNOWN_STATUSES.includes(status))
      report(`A response has the status ${status}, which the emulator does not have.`, request);
  }
  for (const attempt of traffic.attempts) {
    const { headers } = attempt;
    for (const name of headers.keys()) {
      if (name.startsWith('service-') && !DELIVERY_HEADERS.includes(name))
        report(`A delivery has the header ${name}, which the emulator does not send.`, attempt);
    }
    for (const name of DELIVERY_HEADERS.filter((each) => !headers.has(each)))
      report(`A delivery lacks the header ${name}.`, attempt);
    const type = headers.get('content-type') ?? 'application/json';
    if (!/^application\/json\b/i.test(type))
      report(`A delivery has the Content-Type ${type} instead of application/json.`, attempt);
  }
  const shapes = compareShapes(traffic);
  for (const { exchange, value } of [...shapes.page, ...shapes.error]) {
    if (value !== null) report(`The recording has a ${value}.`, exchange);
  }
  return {
    findings: {
      'event.record': compareFixed(shapes.event),
      'workspace.record': compareFixed(shapes.workspace),
      'webhook.record': compareFixed(shapes.webhook),
      envelope: compareFixed(shapes.envelope),
    },
    other: [...found.values()],
  };
}
