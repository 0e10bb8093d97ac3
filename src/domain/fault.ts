/** The kinds of injected faults, and their effects. `contract/fault-rule.ts` has the rules. */
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
  applied_count: appliedCount,
  count = Number.POSITIVE_INFINITY,
}: {
  readonly applied_count: number;
  readonly count?: number | undefined;
}): boolean {
  return appliedCount < count;
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
