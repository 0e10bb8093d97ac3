/** Faults that somebody has ordered, on requests to the API and on deliveries: what they do and what they meet. Pure. */
import { MINUTE_MS, SECOND_MS } from './duration.ts';

export const faultTargets = ['request', 'delivery'] as const;

/** When the connection of a request is dropped: before its operation, or when it is done and would be answered. */
export const requestDrops = ['before', 'after'] as const;

export const requestFaultKinds = ['status', 'latency', 'drop-before', 'drop-after'] as const;

/** What becomes of an attempt. */
export const deliveryFaultKinds = [
  'duplicate',
  'delay',
  'reorder',
  'drop',
  'tamper-body',
  'bad-signature',
  'stale-timestamp',
  'old-secret',
  'slow-body',
] as const;
export type DeliveryFaultKind = (typeof deliveryFaultKinds)[number];

/** What each does to an attempt, in words. */
export const deliveryFaultDescriptions = {
  duplicate: 'it is sent twice, the second time when the first is answered',
  delay: 'it is due later',
  reorder: 'it waits until another delivery to the endpoint has been sent',
  drop: 'nothing is sent; it ends as a connection that failed',
  'tamper-body': 'a byte of the body is changed after signing',
  'bad-signature': 'it is signed with a secret that nobody has',
  'stale-timestamp': 'it is signed, rightly, for a time that is too long ago',
  'old-secret': 'it is signed with the secret before the last rotation alone',
  'slow-body': 'its body is written bit by bit',
} as const satisfies Record<DeliveryFaultKind, string>;

export type FaultKind = DeliveryFaultKind | (typeof requestFaultKinds)[number];

/** For those that last: schedule time for `delay` and `reorder`, real time for `slow-body`. */
export const defaultDelayMs = {
  delay: MINUTE_MS,
  reorder: MINUTE_MS,
  'slow-body': 5 * SECOND_MS,
} as const satisfies Partial<Record<DeliveryFaultKind, number>>;

/** A fault as it was ordered, in the words in which it is stored and shown. What is left out restricts nothing. */
export interface FaultRule {
  readonly on: (typeof faultTargets)[number];
  readonly workspace_id?: string | undefined;
  readonly method?: string | undefined;
  /** With or without `/v1`; a segment `*` or `{name}` stands for any one. */
  readonly path?: string | undefined;
  readonly api_key_id?: string | undefined;
  readonly status?: number | undefined;
  readonly error_code?: string | undefined;
  readonly latency_ms?: number | undefined;
  readonly drop?: (typeof requestDrops)[number] | undefined;
  readonly kind?: DeliveryFaultKind | undefined;
  readonly webhook_id?: string | undefined;
  readonly type?: string | undefined;
  readonly delay_ms?: number | undefined;
  /** From 0 to 1. */
  readonly probability: number;
  /** How often it may fire. */
  readonly count?: number | undefined;
}

const REQUEST_MEMBERS = [
  'method',
  'path',
  'api_key_id',
  'status',
  'error_code',
  'latency_ms',
  'drop',
] as const;
const DELIVERY_MEMBERS = ['kind', 'webhook_id', 'type', 'delay_ms'] as const;

export interface FaultProblem {
  /** The one that says so. */
  readonly field: keyof FaultRule;
  readonly problem: string;
}

/** What a fault cannot mean; null when it is fine. @param nameOf what the problem calls a member. */
export function findFaultProblem(
  rule: FaultRule,
  nameOf: (member: keyof FaultRule) => string,
): FaultProblem | null {
  const others = rule.on === 'request' ? DELIVERY_MEMBERS : REQUEST_MEMBERS;
  const foreign = others.find((member) => rule[member] !== undefined);
  if (foreign) return { field: foreign, problem: `is not for faults on a ${rule.on}` };
  return rule.on === 'request' ? findRequestProblem(rule, nameOf) : findDeliveryProblem(rule);
}

function findRequestProblem(
  { status, drop, latency_ms: latencyMs, error_code: errorCode }: FaultRule,
  nameOf: (member: keyof FaultRule) => string,
): FaultProblem | null {
  if (status === undefined && drop === undefined && latencyMs === undefined)
    return { field: 'status', problem: `is required, or ${nameOf('latency_ms')}, or ${nameOf('drop')}` };
  if (status !== undefined && drop !== undefined)
    return { field: 'drop', problem: `cannot go with ${nameOf('status')}: there is no answer` };
  if (errorCode !== undefined && status === undefined)
    return { field: 'error_code', problem: `needs ${nameOf('status')}` };
  return null;
}

function findDeliveryProblem({ kind, delay_ms: delayMs }: FaultRule): FaultProblem | null {
  if (kind === undefined)
    return { field: 'kind', problem: `must be one of ${deliveryFaultKinds.join(', ')}` };
  if (delayMs !== undefined && !Object.hasOwn(defaultDelayMs, kind))
    return { field: 'delay_ms', problem: `is only for ${Object.keys(defaultDelayMs).join(', ')}` };
  return null;
}

/** Why no request would ever meet a fault, given all `routes` that there are; null where one can. */
export function findRouteProblem(
  { method, path }: FaultRule,
  routes: readonly Pick<FaultableRequest, 'method' | 'path'>[],
): FaultProblem | null {
  const there = routes.filter((route) => path === undefined || canBe(path, route.path));
  if (there.length === 0)
    return { field: 'path', problem: `must be that of an operation: ${listUnique(routes, 'path')}` };
  if (there.some((route) => is(method, route.method))) return null;
  const where = path === undefined ? 'of an operation' : 'of an operation there';
  return { field: 'method', problem: `must be that ${where}: ${listUnique(there, 'method')}` };
}

function listUnique<Key extends string>(routes: readonly Readonly<Record<Key, string>>[], key: Key): string {
  return [...new Set(routes.map((route) => route[key]))].join(', ');
}

/** What is written beside a request or an attempt that a fault touched. */
export interface AppliedFault {
  readonly id: string;
  readonly kind: FaultKind;
}

/** What a fault on requests can be restricted to. */
export interface FaultableRequest {
  readonly method: string;
  readonly path: string;
  readonly apiKeyId: string;
  /** The workspace of the key; null for a key that is for all. */
  readonly workspaceId: string | null;
}

export function matchesRequest(rule: FaultRule, facts: FaultableRequest): boolean {
  return (
    is(rule.workspace_id, facts.workspaceId) &&
    is(rule.api_key_id, facts.apiKeyId) &&
    is(rule.method, facts.method) &&
    (rule.path === undefined || isPath(rule.path, facts.path))
  );
}

/** What a fault on deliveries can be restricted to. */
export interface FaultableDelivery {
  readonly workspaceId: string;
  readonly webhookId: string;
  readonly type: string;
}

export function matchesDelivery(rule: FaultRule, facts: FaultableDelivery): boolean {
  return (
    is(rule.workspace_id, facts.workspaceId) &&
    is(rule.webhook_id, facts.webhookId) &&
    is(rule.type, facts.type)
  );
}

export function faultKindOf({ kind, drop, status }: FaultRule): FaultKind {
  if (kind !== undefined) return kind;
  if (drop !== undefined) return `drop-${drop}`;
  return status === undefined ? 'latency' : 'status';
}

const STATUS_CODES: Readonly<Record<number, string>> = {
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

/** The `error.code` that a status has unless another is ordered (§7, decision `error.codes`). */
export function defaultErrorCode(status: number): string {
  return STATUS_CODES[status] ?? (status < 500 ? 'invalid_request' : 'internal_error');
}

/** The body with one byte changed: JSON stays JSON, so that only who verifies will notice. */
export function tamperBody(body: string): string {
  const tampered = body.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + 1) % 10));
  return tampered === body ? body.replace(/.$/s, ' ') : tampered;
}

function is<Value>(wanted: Value | undefined, found: Value | null): boolean {
  return wanted === undefined || wanted === found;
}

/** Whether the path of a request is the one that a fault names. */
function isPath(pattern: string, path: string): boolean {
  return agree(pattern, path, (wanted, found) => isOpen(wanted) || wanted === found);
}

/** Whether a request to a route can have the path that a fault names. */
function canBe(pattern: string, route: string): boolean {
  return agree(pattern, route, (wanted, found) =>
    wanted === '' ? found === '' : isOpen(wanted) || isOpen(found) || wanted === found,
  );
}

function agree(pattern: string, path: string, fits: (wanted: string, found: string) => boolean): boolean {
  const [wanted, found] = [toSegments(pattern), toSegments(path)];
  return wanted.length === found.length && wanted.every((segment, i) => fits(segment, found[i] ?? ''));
}

function toSegments(path: string): string[] {
  return path.replace(/^\/v1(?=\/|$)/, '').split('/');
}

/** Stands for any segment: `*`, `{id}`. */
function isOpen(segment: string): boolean {
  return /^(?:\*|\{\w+\})$/.test(segment);
}
