/** A fault that the user injects: its fields, what contradicts, and the requests and deliveries that it matches. */
import * as v from 'valibot';
import { formatDuration } from '../domain/duration.ts';
import {
  type AppliedFault,
  type DeliveryFaultKind,
  deliveryFaultKinds,
  type FaultKind,
  faultTargets,
  getDefaultDelayMs,
  getDeliveryFault,
  MAX_DELAY_MS,
  MAX_LATENCY_MS,
  requestDrops,
  requestFaultKinds,
} from '../domain/fault.ts';
import { formatCount } from '../domain/message-parts.ts';
import { publicRoutes } from '../domain/public-routes.ts';
import { defineFields, toRequestFields } from './define-resource.ts';
import { durationFrom, expecting, wholeNumberFrom } from './value-schemas.ts';
import { Count, described, EventType, idOf, resource, Timestamp } from './values.ts';

export const FaultMark = resource('An injected fault that was applied to a request or an attempt.', {
  id: described({ summary: 'ID of the fault' }, idOf('fault')),
  kind: described({ summary: 'Kind of fault' }, v.picklist([...requestFaultKinds, ...deliveryFaultKinds])),
});
/** The field that requests and attempts have for it. */
export const faultField = {
  fault: described(
    { summary: 'Injected fault that was applied', detail: 'Omitted without one' },
    v.optional(FaultMark),
  ),
};

const requestTable = defineFields({
  method: {
    schema: v.pipe(v.string(), v.toUpperCase()),
    label: 'Method',
    optional: true,
    summary: 'For requests: HTTP method to match',
    option: '--method <method>',
  },
  path: {
    schema: expecting('a path that starts with /', v.pipe(v.string(), v.startsWith('/'))),
    label: 'Path',
    optional: true,
    summary: 'For requests: path to match, such as `/events/{id}`',
    detail: 'The segments `*` and `{id}` match any segment',
    option: '--path <path>',
  },
  api_key_id: {
    schema: idOf('apiKey'),
    label: 'API key',
    optional: true,
    summary: 'For requests: ID of the API key to match',
    option: '--key <id>',
  },
  error_code: {
    schema: expecting(
      'lowercase letters, digits and underscores, such as rate_limited',
      v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_]{0,63}$/)),
    ),
    label: 'Error code',
    optional: true,
    summary: 'For requests: error code of the response',
    defaultText: 'the code that belongs to `status`',
    option: '--error-code <code>',
  },
  latency_ms: {
    schema: durationFrom(1, MAX_LATENCY_MS),
    label: 'Latency',
    optional: true,
    summary: 'For requests: real time to wait before the operation',
    option: '--latency <duration>',
  },
  drop: {
    schema: v.picklist(requestDrops),
    label: 'Close the connection',
    optional: true,
    summary:
      'For requests: close the connection without a response, either `before` or `after` the operation runs',
    option: '--drop <when>',
  },
});

const deliveryTable = defineFields({
  kind: {
    schema: v.picklist(deliveryFaultKinds),
    label: 'Fault',
    optional: true,
    summary: 'For deliveries: what happens to the attempt',
    example: 'duplicate',
    option: '--kind <kind>',
  },
  webhook_id: {
    schema: idOf('webhook'),
    label: 'Endpoint',
    optional: true,
    summary: 'For deliveries: ID of the endpoint to match',
    option: '--webhook <id>',
  },
  type: {
    schema: EventType,
    label: 'Event type',
    optional: true,
    summary: 'For deliveries: event type to match',
    option: '--type <type>',
  },
  delay_ms: {
    schema: durationFrom(1, MAX_DELAY_MS),
    label: 'Duration',
    optional: true,
    summary: 'For deliveries: duration of `delay`, `reorder` or `slow-body`',
    detail:
      'How long to delay the delivery in schedule time (`delay`, and at most this long for `reorder`; default: `1m`), or how long to take to send the body in real time (`slow-body`, default: `5s`)',
    option: '--delay <duration>',
  },
});

/** What a fault applies to and what it does. A missing field does not restrict it. */
export const faultTable = defineFields({
  on: {
    schema: v.picklist(faultTargets),
    label: 'Target',
    summary: 'Target of the fault',
    detail: '`request` to apply it to requests to `/v1`, or `delivery` to apply it to deliveries',
    example: 'delivery',
    option: '--on <target>',
  },
  ...requestTable,
  status: {
    schema: wholeNumberFrom(400, 599),
    label: 'Response status',
    optional: true,
    summary: 'For requests, and for `error-response`: error status of the response',
    defaultText: `${getDeliveryFault('error-response').status} for \`error-response\``,
    option: '--status <status>',
  },
  ...deliveryTable,
  probability: {
    schema: expecting('a number above 0 and at most 1', v.pipe(v.number(), v.gtValue(0), v.maxValue(1))),
    label: 'Probability',
    initial: 1,
    summary: 'Probability that the fault is applied, above 0 and at most 1',
    defaultText: '1',
    option: '--probability <p>',
  },
  count: {
    schema: wholeNumberFrom(1),
    label: 'Count',
    optional: true,
    summary: 'Maximum number of times to apply the fault',
    defaultText: 'no limit',
    example: 1,
    option: '--count <n>',
  },
  /** For requests: the workspace of the API key. */
  workspace_id: {
    schema: idOf('workspace'),
    label: 'Workspace',
    optional: true,
    summary: 'ID of the workspace to match',
    defaultText: 'all workspaces',
    option: '--workspace <id>',
  },
});

export const faultFields = toRequestFields(faultTable);
export type FaultRule = Readonly<v.InferOutput<v.ObjectSchema<typeof faultFields, undefined>>>;

const { probability: _, ...ruleFields } = faultFields;
export const Fault = resource('An injected fault.', {
  id: described({ summary: 'ID of the fault' }, idOf('fault')),
  ...ruleFields,
  probability: described(
    { summary: 'Probability that a matching request or attempt gets the fault' },
    v.number(),
  ),
  applied_count: described({ summary: 'Number of times that the fault has been applied' }, Count),
  created_at: described({ summary: 'Wall time at which the fault was added' }, Timestamp),
});
export type Fault = v.InferOutput<typeof Fault>;

/** Checks that the fields do not contradict each other, and that a request to the API can match the method and the path. */
function checkNewFault() {
  return v.rawCheck<FaultRule>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    const found = findFaultProblem(value) ?? findRouteProblem(value, Object.values(publicRoutes));
    if (found === null) return;
    const { field: key } = found;
    addIssue({
      ...('expected' in found ? { expected: found.expected, input: value[key] } : { message: found.problem }),
      path: [{ type: 'object', origin: 'value', input: { ...value }, key, value: value[key] }],
    });
  });
}

export const NewFaultInput = v.pipe(v.strictObject(faultFields), checkNewFault());

/** A fault in a seed. Its position decides the workspace, and API keys of a seed have no IDs. */
export const SeedFault = v.pipe(
  v.omit(v.strictObject(faultFields), ['workspace_id', 'api_key_id']),
  checkNewFault(),
);

interface FaultProblem {
  readonly field: keyof FaultRule;
  /** Completes a sentence that starts with the field. */
  readonly problem: string;
}

/** The first contradiction in a rule; null if it is valid. */
export function findFaultProblem(rule: FaultRule): FaultProblem | null {
  const isOnRequest = rule.on === 'request';
  const forbiddenFields = Object.keys(isOnRequest ? deliveryTable : requestTable) as (keyof FaultRule)[];
  const field = forbiddenFields.find((name) => rule[name] !== undefined);
  if (field)
    return { field, problem: `applies only to faults in ${isOnRequest ? 'deliveries' : 'requests'}` };
  return isOnRequest ? findRequestProblem(rule) : findDeliveryProblem(rule);
}

function findRequestProblem(rule: FaultRule): FaultProblem | null {
  const { status, drop, latency_ms: latencyMs, error_code: errorCode } = rule;
  if (status === undefined && drop === undefined && latencyMs === undefined)
    return { field: 'status', problem: 'is required unless the fault has a latency or drops the request' };
  if (status !== undefined && drop !== undefined)
    return { field: 'drop', problem: 'cannot be combined with a status: a dropped request has no response' };
  const needsStatus = errorCode !== undefined && status === undefined;
  return needsStatus ? { field: 'error_code', problem: 'needs a status' } : null;
}

function findDeliveryProblem({ kind, status, delay_ms: delayMs }: FaultRule): FaultProblem | null {
  if (kind === undefined)
    return { field: 'kind', problem: `must be one of ${deliveryFaultKinds.join(', ')}` };
  if (delayMs !== undefined && getDefaultDelayMs(kind) === undefined)
    return {
      field: 'delay_ms',
      problem: `applies only to the kinds ${listKinds((kind) => getDefaultDelayMs(kind) !== undefined)}`,
    };
  if (status !== undefined && getDeliveryFault(kind).status === undefined) {
    const kinds = listKinds((other) => getDeliveryFault(other).status !== undefined);
    return { field: 'status', problem: `applies only to faults in requests and to the kind ${kinds}` };
  }
  return null;
}

/** `delay, reorder, slow-body` */
function listKinds(isListed: (kind: DeliveryFaultKind) => boolean): string {
  return deliveryFaultKinds.filter(isListed).join(', ');
}

/** What the path or the method must be, if no request to any of `routes` could match the fault; null if one could. */
export function findRouteProblem(
  { method, path }: FaultRule,
  routes: readonly Pick<FaultableRequest, 'method' | 'path'>[],
): { readonly field: 'method' | 'path'; readonly expected: string } | null {
  const matchingRoutes = routes.filter((route) => path === undefined || matchesPath(path, route.path));
  if (matchingRoutes.length === 0)
    return { field: 'path', expected: `the path of an API operation: ${listUnique(routes, 'path')}` };
  if (matchingRoutes.some((route) => matches(method, route.method))) return null;
  const scope = path === undefined ? 'an API operation' : 'that path';
  return { field: 'method', expected: `a method of ${scope}: ${listUnique(matchingRoutes, 'method')}` };
}

function listUnique<Key extends string>(routes: readonly Readonly<Record<Key, string>>[], key: Key): string {
  return [...new Set(routes.map((route) => route[key]))].join(', ');
}

export interface FaultableRequest {
  readonly method: string;
  readonly path: string;
  readonly apiKeyId: string;
  /** The workspace of the key; null for a key for all workspaces. */
  readonly workspaceId: string | null;
}

export function matchesRequest(rule: FaultRule, request: FaultableRequest): boolean {
  return (
    matches(rule.workspace_id, request.workspaceId) &&
    matches(rule.api_key_id, request.apiKeyId) &&
    matches(rule.method, request.method) &&
    (rule.path === undefined || matchesPath(rule.path, request.path))
  );
}

export interface FaultableDelivery {
  readonly workspaceId: string;
  readonly webhookId: string;
  readonly type: string;
}

export function matchesDelivery(rule: FaultRule, delivery: FaultableDelivery): boolean {
  return (
    matches(rule.workspace_id, delivery.workspaceId) &&
    matches(rule.webhook_id, delivery.webhookId) &&
    matches(rule.type, delivery.type)
  );
}

export function toFaultKind({ kind, drop, status }: FaultRule): FaultKind {
  if (kind !== undefined) return kind;
  if (drop !== undefined) return `drop-${drop}`;
  return status === undefined ? 'latency' : 'status';
}

/** Whether a fault applies to a value. A missing value of the rule does not restrict it. */
function matches<Value>(ruleValue: Value | undefined, value: Value | null): boolean {
  return ruleValue === undefined || ruleValue === value;
}

/** Whether a fault with this path applies to the path of a request, or to a path of a route. */
function matchesPath(pattern: string, path: string): boolean {
  const segments = toSegments(path);
  const patternSegments = toSegments(pattern);
  return (
    patternSegments.length === segments.length &&
    patternSegments.every(
      (segment, i) =>
        segment === segments[i] || (segment !== '' && [segment, segments[i] ?? ''].some(isPlaceholder)),
    )
  );
}

function toSegments(path: string): string[] {
  return path.replace(/^\/v1(?=\/|$)/, '').split('/');
}

/** Whether a segment stands for any text: `*`, `{id}`. */
function isPlaceholder(segment: string): boolean {
  return /^(?:\*|\{\w+\})$/.test(segment);
}

/** `status 503`, `connection closed after the operation`, `delay 10m`, `error-response, status 503` */
export function describeEffect(fault: Fault): string {
  const { kind, error_code: code, drop, latency_ms: latencyMs, delay_ms: delayMs } = fault;
  const { status = getDeliveryFault(kind).status } = fault;
  const parts = [
    [kind, delayMs && formatDuration(delayMs)],
    latencyMs === undefined ? [] : ['latency', formatDuration(latencyMs)],
    status === undefined ? [] : ['status', status, code],
    drop === undefined ? [] : ['connection closed', drop, 'the operation'],
  ];
  return parts
    .map((part) => part.filter(Boolean).join(' '))
    .filter(Boolean)
    .join(', ');
}

/** `request POST /events`, `delivery order.shipped wh_…` */
export function describeTarget({
  on,
  method,
  path,
  api_key_id: key,
  type,
  webhook_id: webhook,
}: Fault): string {
  return [on, method, path, key, type, webhook].filter(Boolean).join(' ');
}

/** `1 of 3 times, with 10% probability` */
export function describeAppliedCount({ applied_count: times, count, probability }: Fault): string {
  const text = count === undefined ? formatCount(times, 'time') : `${times} of ${count} times`;
  return probability < 1 ? `${text}, with ${Number((probability * 100).toPrecision(4))}% probability` : text;
}

/** `duplicate (flt_…)`; null without a fault. */
export function describeAppliedFault(fault: AppliedFault | undefined): string | null {
  return fault === undefined ? null : `${fault.kind} (${fault.id})`;
}
