/** Injected faults on API requests and on deliveries: their rules, and what they match. */
import { DAY_MS, MINUTE_MS, SECOND_MS } from './duration.ts';

export const faultTargets = ['request', 'delivery'] as const;

/** When the connection of a request is dropped: before the operation runs, or after it, before the response. */
export const requestDrops = ['before', 'after'] as const;

export const requestFaultKinds = ['status', 'latency', 'drop-before', 'drop-after'] as const;

export const deliveryFaultKinds = [
  'duplicate',
  'delay',
  'reorder',
  'drop',
  'error-response',
  'timeout',
  'reset',
  'tamper-body',
  'bad-signature',
  'stale-timestamp',
  'old-secret',
  'slow-body',
] as const;
export type DeliveryFaultKind = (typeof deliveryFaultKinds)[number];

/** The effect of each kind on an attempt. */
export const deliveryFaultDescriptions = {
  duplicate: 'Sent twice, the second time after the first response',
  delay: 'Sent later than scheduled',
  reorder: 'Held until another delivery to the same endpoint is sent',
  drop: 'Not sent; the attempt ends with a connection error',
  'error-response': 'Not sent; the attempt ends as if the receiver responded with an error status',
  timeout:
    'Sent, but its response is lost; the attempt ends as a timeout, without waiting for the time limit',
  reset: 'Sent, but its response is lost; the attempt ends as if the receiver reset the connection',
  'tamper-body': 'One byte of the body changed after signing',
  'bad-signature': 'Signed with a random secret',
  'stale-timestamp': 'Signed correctly, with an old timestamp',
  'old-secret': 'Signed only with the previous secret',
  'slow-body': 'Body sent slowly, in pieces',
} as const satisfies Record<DeliveryFaultKind, string>;

export type FaultKind = DeliveryFaultKind | (typeof requestFaultKinds)[number];

/** Real time. Node.js limits timers to 24.8 days. */
export const MAX_LATENCY_MS = DAY_MS;
/** Schedule time for `delay` and `reorder`, real time for `slow-body`. */
export const MAX_DELAY_MS = 30 * DAY_MS;

/** Default durations: schedule time for `delay` and `reorder`, real time for `slow-body`. */
export const defaultDelayMs = {
  delay: MINUTE_MS,
  reorder: MINUTE_MS,
  'slow-body': 5 * SECOND_MS,
} as const satisfies Partial<Record<DeliveryFaultKind, number>>;

/** The status of the kind `error-response` in rules without one. */
export const DEFAULT_ERROR_STATUS = 503;

/** An injected fault with the field names of the API and the store. A missing field does not restrict it. */
export interface FaultRule {
  readonly on: (typeof faultTargets)[number];
  readonly workspace_id?: string | undefined;
  readonly method?: string | undefined;
  /** With or without `/v1`; the segments `*` and `{name}` match any segment. */
  readonly path?: string | undefined;
  readonly api_key_id?: string | undefined;
  /** For requests and for the kind `error-response`. */
  readonly status?: number | undefined;
  readonly error_code?: string | undefined;
  readonly latency_ms?: number | undefined;
  readonly drop?: (typeof requestDrops)[number] | undefined;
  readonly kind?: DeliveryFaultKind | undefined;
  readonly webhook_id?: string | undefined;
  readonly type?: string | undefined;
  readonly delay_ms?: number | undefined;
  /** Above 0, up to 1. */
  readonly probability: number;
  /** How often it can be applied; no limit if it is missing. */
  readonly count?: number | undefined;
}

const REQUEST_FIELDS = ['method', 'path', 'api_key_id', 'error_code', 'latency_ms', 'drop'] as const;
const DELIVERY_FIELDS = ['kind', 'webhook_id', 'type', 'delay_ms'] as const;

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
  const forbiddenFields = isOnRequest ? DELIVERY_FIELDS : REQUEST_FIELDS;
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

/** The fault that was applied to a request or an attempt, as it is stored with it. */
export interface AppliedFault {
  readonly id: string;
  readonly kind: FaultKind;
}

/** Whether an attempt is sent to the receiver although this fault is applied to it. */
export function isAttemptSent(fault: AppliedFault | undefined): boolean {
  return fault?.kind !== 'drop' && fault?.kind !== 'error-response';
}

/** Whether a fault can still be applied. */
export function isFaultActive({
  fired,
  count = Number.POSITIVE_INFINITY,
}: Pick<FaultRule, 'count'> & { readonly fired: number }): boolean {
  return fired < count;
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

const ERROR_CODES_BY_STATUS: Readonly<Record<number, string>> = {
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'validation_failed',
  429: 'rate_limited',
};

/** The `error.code` of a status for which the fault sets no code (§7, gap `error.codes`). */
export function getDefaultErrorCode(status: number): string {
  return ERROR_CODES_BY_STATUS[status] ?? (status < 500 ? 'invalid_request' : 'internal_error');
}

/**
 * Changes one character of a body: its last digit, or its last character if it has no digit. JSON with a digit stays valid JSON,
 * so that only a receiver that verifies signatures notices the change.
 */
export function tamperBody(body: string): string {
  const tampered = body.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
  return tampered === body ? body.replace(/.$/s, ' ') : tampered;
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
