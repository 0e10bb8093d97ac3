/** The rule of an injected fault: its fields, what contradicts, and the requests and deliveries that it matches. */
import * as v from 'valibot';
import {
  defaultDelayMs,
  deliveryFaultKinds,
  type FaultKind,
  faultTargets,
  MAX_DELAY_MS,
  MAX_LATENCY_MS,
  requestDrops,
} from '../domain/fault.ts';
import { expecting, wholeNumberFrom } from '../validation/value-schemas.ts';
import { described, EventType, idOf } from './fields.ts';

/** Only for faults on requests. */
const requestFields = {
  method: described('For requests: HTTP method to match.', v.optional(v.pipe(v.string(), v.toUpperCase()))),
  path: described(
    'For requests: path to match, such as `/events/{id}`. The segments `*` and `{id}` match any segment.',
    v.optional(expecting('a path that starts with /', v.pipe(v.string(), v.startsWith('/')))),
  ),
  api_key_id: described('For requests: ID of the API key to match.', v.optional(idOf('apiKey'))),
  error_code: described(
    'For requests: error code of the response (default: the code that belongs to `status`).',
    v.optional(
      expecting(
        'lowercase letters, digits and underscores, such as rate_limited',
        v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_]{0,63}$/)),
      ),
    ),
  ),
  latency_ms: described(
    'For requests: real time to wait before the response, in milliseconds.',
    v.optional(wholeNumberFrom(1, MAX_LATENCY_MS)),
  ),
  drop: described(
    'For requests: close the connection without a response, either `before` or `after` the operation runs.',
    v.optional(v.picklist(requestDrops)),
  ),
};

/** Only for faults on deliveries. */
const deliveryFields = {
  kind: described(
    'For deliveries: what happens to the attempt.',
    v.optional(v.picklist(deliveryFaultKinds)),
    'duplicate',
  ),
  webhook_id: described('For deliveries: ID of the endpoint to match.', v.optional(idOf('webhook'))),
  type: described('For deliveries: event type to match.', v.optional(EventType)),
  delay_ms: described(
    'For deliveries: how long to delay the delivery in schedule time (`delay`, and at most this long for `reorder`; default: 60000), or how long to take to send the body in real time (`slow-body`, default: 5000), in milliseconds.',
    v.optional(wholeNumberFrom(1, MAX_DELAY_MS)),
  ),
};

/** What a fault applies to and what it does. A missing field does not restrict it. */
export const faultFields = {
  on: described(
    '`request` to apply the fault to requests to `/v1`, or `delivery` to apply it to deliveries.',
    v.picklist(faultTargets),
    'delivery',
  ),
  /** For requests: the workspace of the API key. */
  workspace_id: described(
    'ID of the workspace to match (default: all workspaces).',
    v.optional(idOf('workspace')),
  ),
  ...requestFields,
  status: described(
    'For requests: status of the response. For deliveries: status of the kind `error-response` (default: 503).',
    v.optional(wholeNumberFrom(400, 599)),
  ),
  ...deliveryFields,
  probability: described(
    'Probability that the fault is applied to a matching request or attempt: greater than 0, and at most 1.',
    v.optional(
      expecting('a number above 0 and at most 1', v.pipe(v.number(), v.gtValue(0), v.maxValue(1))),
      1,
    ),
  ),
  count: described(
    'Maximum number of times to apply the fault (default: no limit).',
    v.optional(wholeNumberFrom(1)),
    1,
  ),
};

export type FaultRule = Readonly<v.InferOutput<v.ObjectSchema<typeof faultFields, undefined>>>;

interface FaultProblem {
  readonly field: keyof FaultRule;
  /** Completes a sentence that starts with the field. */
  readonly problem: string;
}

/**
 * The first contradiction in a rule; null if it is valid.
 * @param getFieldName returns the name of a field for the message
 */
export function findFaultProblem(
  rule: FaultRule,
  getFieldName: (field: keyof FaultRule) => string,
): FaultProblem | null {
  const isOnRequest = rule.on === 'request';
  const forbiddenFields = Object.keys(isOnRequest ? deliveryFields : requestFields) as (keyof FaultRule)[];
  const field = forbiddenFields.find((name) => rule[name] !== undefined);
  if (field)
    return { field, problem: `applies only to faults in ${isOnRequest ? 'deliveries' : 'requests'}` };
  return isOnRequest ? findRequestProblem(rule, getFieldName) : findDeliveryProblem(rule);
}

function findRequestProblem(
  { status, drop, latency_ms: latencyMs, error_code: errorCode }: FaultRule,
  getFieldName: (field: keyof FaultRule) => string,
): FaultProblem | null {
  if (status === undefined && drop === undefined && latencyMs === undefined) {
    const problem = `is required unless ${getFieldName('latency_ms')} or ${getFieldName('drop')} is given`;
    return { field: 'status', problem };
  }
  if (status !== undefined && drop !== undefined) {
    const problem = `cannot be combined with ${getFieldName('status')}: a dropped request has no response`;
    return { field: 'drop', problem };
  }
  const needsStatus = errorCode !== undefined && status === undefined;
  return needsStatus ? { field: 'error_code', problem: `needs ${getFieldName('status')}` } : null;
}

function findDeliveryProblem({ kind, status, delay_ms: delayMs }: FaultRule): FaultProblem | null {
  if (kind === undefined)
    return { field: 'kind', problem: `must be one of ${deliveryFaultKinds.join(', ')}` };
  if (delayMs !== undefined && !Object.hasOwn(defaultDelayMs, kind))
    return { field: 'delay_ms', problem: 'applies only to the kinds delay, reorder and slow-body' };
  if (kind !== 'error-response' && status !== undefined)
    return { field: 'status', problem: 'applies only to faults in requests and to the kind error-response' };
  return null;
}

/** What the path or the method must be, if no request to any of `routes` could match the fault; null if one could. */
export function findRouteProblem(
  { method, path }: FaultRule,
  routes: readonly Pick<FaultableRequest, 'method' | 'path'>[],
): { readonly field: 'method' | 'path'; readonly expected: string } | null {
  const matchingRoutes = routes.filter((route) => path === undefined || canMatchRoute(path, route.path));
  if (matchingRoutes.length === 0)
    return { field: 'path', expected: `the path of an API operation: ${listUnique(routes, 'path')}` };
  if (matchingRoutes.some((route) => matches(method, route.method))) return null;
  const scope = path === undefined ? 'an API operation' : 'that path';
  return { field: 'method', expected: `a method of ${scope}: ${listUnique(matchingRoutes, 'method')}` };
}

function listUnique<Key extends string>(routes: readonly Readonly<Record<Key, string>>[], key: Key): string {
  return [...new Set(routes.map((route) => route[key]))].join(', ');
}

/** The properties of a request that a fault can be restricted to. */
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

/** The properties of a delivery that a fault can be restricted to. */
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

/** Whether a fault with this path applies to the path of a request. */
function matchesPath(pattern: string, path: string): boolean {
  return matchesSegments(
    pattern,
    path,
    (patternSegment, segment) => isPlaceholder(patternSegment) || patternSegment === segment,
  );
}

/** Whether a request to a route can have a path that the fault applies to. */
function canMatchRoute(pattern: string, route: string): boolean {
  // A placeholder of a route stands for at least one character, so an empty segment does not match it.
  return matchesSegments(pattern, route, (patternSegment, segment) =>
    patternSegment === ''
      ? segment === ''
      : isPlaceholder(patternSegment) || isPlaceholder(segment) || patternSegment === segment,
  );
}

function matchesSegments(
  pattern: string,
  path: string,
  matchesSegment: (patternSegment: string, segment: string) => boolean,
): boolean {
  const patternSegments = toSegments(pattern);
  const segments = toSegments(path);
  return (
    patternSegments.length === segments.length &&
    patternSegments.every((patternSegment, i) => matchesSegment(patternSegment, segments[i] ?? ''))
  );
}

function toSegments(path: string): string[] {
  return path.replace(/^\/v1(?=\/|$)/, '').split('/');
}

/** Whether a segment stands for any text: `*`, `{id}`. */
function isPlaceholder(segment: string): boolean {
  return /^(?:\*|\{\w+\})$/.test(segment);
}
