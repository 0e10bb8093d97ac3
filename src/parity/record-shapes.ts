/** Compares the fields and the headers of recorded messages with those of the emulator, at the level of types. */
import type * as v from 'valibot';
import { CreatedWebhook, Event, EventPage, Workspace } from '../contract/resources.ts';
import { isObject } from '../domain/json.ts';
import {
  type ApiRequest,
  type DeliveryAttempt,
  type Exchange,
  isSuccess,
  type OperationName,
} from './exchange.ts';
import { compareFixed, type Evidence, type Sighting, toEvidence } from './finding.ts';

type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'array' | 'null';
/** The type of each field. */
type Shape = Readonly<Record<string, readonly JsonType[]>>;

function toShape({ entries }: { readonly entries: v.ObjectEntries }): Shape {
  return Object.fromEntries(Object.entries(entries).map(([name, schema]) => [name, toTypes(schema)]));
}

interface SchemaNode {
  readonly type: string;
  readonly wrapped?: SchemaNode;
}

function toTypes(schema: unknown): readonly JsonType[] {
  const { type, wrapped } = schema as SchemaNode;
  if (type === 'nullable' && wrapped !== undefined) return ['null', ...toTypes(wrapped)];
  if (type === 'custom') return ['object'];
  return [(type === 'picklist' ? 'string' : type) as JsonType];
}

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : (typeof value as JsonType);
}

const shapes = {
  event: toShape(Event),
  workspace: toShape(Workspace),
  webhook: toShape(CreatedWebhook),
  page: toShape(EventPage),
  envelope: { type: ['string'], workspace_id: ['string'], created_at: ['string'], data: ['object'] },
  error: { code: ['string'], message: ['string'], request_id: ['string'] },
} as const satisfies Record<string, Shape>;
type ShapeName = keyof typeof shapes;

interface Occurrence {
  readonly exchange: Exchange;
  readonly value: unknown;
}

const records: Readonly<Record<OperationName, ShapeName>> = {
  getWorkspace: 'workspace',
  createEvent: 'event',
  getEvent: 'event',
  listEvents: 'page',
  createWebhook: 'webhook',
};

function listOccurrences(
  requests: readonly ApiRequest[],
  attempts: readonly DeliveryAttempt[],
  name: ShapeName,
): Occurrence[] {
  if (name === 'envelope') return attempts.map((exchange) => ({ exchange, value: exchange.json }));
  const inResponses = requests.flatMap((exchange): Occurrence[] => {
    const { operation, responseJson } = exchange;
    if (name === 'error') return [{ exchange, value: Object(responseJson).error }];
    if (!isSuccess(exchange) || operation === null) return [];
    const { data } = Object(responseJson);
    const items = name === 'event' && operation === 'listEvents' && Array.isArray(data) ? data : [];
    const whole = records[operation] === name ? [responseJson] : [];
    return [...whole, ...items].map((value) => ({ exchange, value }));
  });
  if (name !== 'event') return inResponses;
  return [...inResponses, ...attempts.map((exchange) => ({ exchange, value: Object(exchange.json).data }))];
}

/** How the records of a kind differ from those of the emulator: a sighting for each field, or one record without difference. */
export function compareShape(
  requests: readonly ApiRequest[],
  attempts: readonly DeliveryAttempt[],
  name: ShapeName,
): Sighting<boolean>[] {
  const expected: Shape = shapes[name];
  const occurrences = listOccurrences(requests, attempts, name).filter(({ value }) => isObject(value));
  const problems = new Map<string, Sighting<boolean>>();
  for (const { exchange, value } of occurrences) {
    const record = value as Record<string, unknown>;
    const report = (text: string) => problems.set(text, { exchange, text, value: false });
    for (const [field, types] of Object.entries(expected)) {
      if (!Object.hasOwn(record, field)) report(`${name} without the field ${field}`);
      else if (!types.includes(typeOf(record[field])))
        report(`${name} with ${field} as ${typeOf(record[field])}`);
    }
    for (const field of Object.keys(record)) {
      if (!Object.hasOwn(expected, field))
        report(`${name} with the field ${field}, of type ${typeOf(record[field])}`);
    }
  }
  const [first] = occurrences;
  if (problems.size > 0 || first === undefined) return [...problems.values()];
  return [
    {
      exchange: first.exchange,
      text: `${name} with the fields ${Object.keys(expected).join(', ')}`,
      value: true,
    },
  ];
}

/** The findings for the gaps about the fields of records. */
export function compareRecords(requests: readonly ApiRequest[], attempts: readonly DeliveryAttempt[]) {
  const compare = (name: ShapeName) => compareFixed(compareShape(requests, attempts, name), true);
  return {
    'event.record': compare('event'),
    'workspace.record': compare('workspace'),
    'webhook.record': compare('webhook'),
    envelope: compare('envelope'),
  };
}

/** Headers of connections, proxies, caches and browsers, which say nothing about the service. */
const TRANSPORT_HEADER =
  /^(?:date|server|connection|keep-alive|transfer-encoding|content-(?:length|encoding|type)|vary|via|etag|age|alt-svc|nel|report-to|reporting-endpoints|server-timing|cache-control|pragma|expires|set-cookie|strict-transport-security|referrer-policy|permissions-policy|content-security-policy|access-control-.*|cross-origin-.*|cf-.*|x-(?:amz|amzn|cache|served|timer|fastly|envoy|forwarded|real|b3|cloud|vercel|frame|xss|content-type|powered|request-start|runtime).*|fly-.*|traceparent|tracestate|baggage|host|accept(?:-.*)?|user-agent|forwarded|te|cookie|authorization|proxy-.*|priority|upgrade-insecure-requests|sec-.*|origin|referer|ngrok-.*|cdn-loop|true-client-ip|location)$/;
/** Those of the emulator, and those that the findings about gaps report. */
const KNOWN_HEADER =
  /^(?:retry-after|allow|www-authenticate|service-(?:signature|timestamp|delivery-id))$|request-id$|rate-?limit|idempot/;

/** A difference that belongs to no gap. */
export interface OtherDifference {
  readonly kind: 'field' | 'header' | 'status';
  readonly text: string;
  readonly evidence: readonly Evidence[];
}

/** Statuses of responses that the emulator has, §7 and gap `error.codes`. Servers in front of an API send 5xx. */
const KNOWN_STATUSES = [
  0, 200, 201, 304, 400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 502, 503, 504,
];

export function listOtherDifferences(
  requests: readonly ApiRequest[],
  attempts: readonly DeliveryAttempt[],
  late: readonly Sighting[],
): OtherDifference[] {
  const found = new Map<string, OtherDifference>();
  const report = (kind: OtherDifference['kind'], text: string, exchange: Exchange) => {
    if (!found.has(text)) found.set(text, { kind, text, evidence: toEvidence([{ exchange, text }]) });
  };
  for (const request of requests) {
    for (const name of request.responseHeaders.keys()) {
      if (!TRANSPORT_HEADER.test(name) && !KNOWN_HEADER.test(name))
        report('header', `A response has the header ${name}, which the emulator does not send.`, request);
    }
    if (!KNOWN_STATUSES.includes(request.status))
      report(
        'status',
        `A response has the status ${request.status}, which the emulator does not have.`,
        request,
      );
  }
  const described = ['service-signature', 'service-timestamp', 'service-delivery-id'];
  for (const attempt of attempts) {
    for (const name of attempt.headers.keys()) {
      if (name.startsWith('service-') && !described.includes(name))
        report('header', `A delivery has the header ${name}, which the emulator does not send.`, attempt);
    }
    for (const name of described) {
      if (!attempt.headers.has(name)) report('header', `A delivery lacks the header ${name}.`, attempt);
    }
    const type = attempt.headers.get('content-type');
    if (type !== undefined && !/^application\/json\b/i.test(type))
      report('header', `A delivery has the Content-Type ${type} instead of application/json.`, attempt);
  }
  for (const name of ['page', 'error'] as const) {
    for (const { exchange, text, value } of compareShape(requests, attempts, name)) {
      if (!value) report('field', `The recording has a ${text}.`, exchange);
    }
  }
  for (const { exchange, text } of late)
    report('status', `A delivery has ${text}; the description stops after 72h.`, exchange);
  return [...found.values()];
}
