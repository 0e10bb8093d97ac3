/** The kinds of injected faults, and their effects. `resources/fault.ts` has the fields of a fault. */
import { DAY_MS, MINUTE_MS, SECOND_MS } from './duration.ts';

export const faultTargets = ['request', 'delivery'] as const;

/** When the connection of a request is dropped: before the operation runs, or after it, before the response. */
export const requestDrops = ['before', 'after'] as const;

export const requestFaultKinds = ['status', 'latency', 'drop-before', 'drop-after'] as const;

/** What a fault makes of an attempt, and the settings that the fault can have. */
interface DeliveryFault {
  /** The attempt with this fault, for people. */
  readonly description: string;
  /** Time that the delivery is held, in schedule time, if the fault has no `delay_ms`. */
  readonly holdMs?: number;
  /** Whether the delivery is also released when another one to the same endpoint is sent. */
  readonly isReleasedByNext?: true;
  /** Time over which the body is sent, in real time, if the fault has no `delay_ms`. */
  readonly writeMs?: number;
  /** Number of requests that are sent (default: 1). */
  readonly requests?: 0 | 2;
  /** Whether a receiver must reject the request. */
  readonly isInvalid?: true;
  /** Whether only the previous secret signs: a receiver that does not know it rejects the request. */
  readonly usesPreviousSecret?: true;
  readonly changeBody?: (body: string) => string;
  readonly changeMessage?: <Message extends SignableMessage>(
    message: Message,
    secrets: OtherSecrets,
  ) => Message;
  /** How the attempt ends, whatever the receiver responds. */
  readonly end?: {
    readonly outcome: 'connection_error' | 'timeout' | 'http_error';
    /** @param response status and its name */
    readonly toError: (id: string, response: string) => string;
  };
  /** Status of the response, if the fault has none. */
  readonly status?: number;
}

interface SignableMessage {
  readonly secrets: readonly string[];
  readonly timestampMs: number;
}

interface OtherSecrets {
  readonly unknown: string;
  /** Null if the secret was never rotated. */
  readonly previous: string | null;
  readonly toleranceMs: number;
}

/** The kinds of faults in deliveries. Everything that differs between kinds is here, except how a `reorder` is released in the store. */
export const deliveryFaults = {
  duplicate: {
    description: 'Sent twice, the second time after the first response',
    requests: 2,
  },
  delay: {
    description: 'Sent later than scheduled',
    holdMs: MINUTE_MS,
  },
  reorder: {
    description: 'Held until another delivery to the same endpoint is sent',
    holdMs: MINUTE_MS,
    isReleasedByNext: true,
  },
  drop: {
    description: 'Not sent; the attempt ends with a connection error',
    requests: 0,
    end: {
      outcome: 'connection_error',
      toError: (id) =>
        `the injected fault drop (${id}) dropped the attempt; nothing was sent to the receiver`,
    },
  },
  'error-response': {
    description: 'Not sent; the attempt ends as if the receiver responded with an error status',
    requests: 0,
    status: 503,
    end: {
      outcome: 'http_error',
      toError: (id, response) =>
        `the injected fault error-response (${id}) returned ${response}; nothing was sent to the receiver`,
    },
  },
  timeout: {
    description:
      'Sent, but its response is lost; the attempt ends as a timeout, without waiting for the time limit',
    end: {
      outcome: 'timeout',
      toError: (id) =>
        `the injected fault timeout (${id}) ended the attempt without waiting for the time limit; the response was lost`,
    },
  },
  reset: {
    description: 'Sent, but its response is lost; the attempt ends as if the receiver reset the connection',
    end: {
      outcome: 'connection_error',
      toError: (id) => `the injected fault reset (${id}) reset the connection; the response was lost`,
    },
  },
  'tamper-body': {
    description: 'One byte of the body changed after signing',
    isInvalid: true,
    changeBody: tamperBody,
  },
  'bad-signature': {
    description: 'Signed with a random secret',
    isInvalid: true,
    changeMessage: (message, { unknown }) => ({ ...message, secrets: [unknown] }),
  },
  'stale-timestamp': {
    description: 'Signed correctly, with an old timestamp',
    isInvalid: true,
    changeMessage: (message, { toleranceMs }) => ({
      ...message,
      timestampMs: message.timestampMs - toleranceMs - MINUTE_MS,
    }),
  },
  'old-secret': {
    description: 'Signed only with the previous secret',
    usesPreviousSecret: true,
    changeMessage: (message, { previous, unknown }) => ({ ...message, secrets: [previous ?? unknown] }),
  },
  'slow-body': {
    description: 'Body sent slowly, in pieces',
    writeMs: 5 * SECOND_MS,
  },
} as const satisfies Readonly<Record<string, DeliveryFault>>;

export type DeliveryFaultKind = keyof typeof deliveryFaults;
export const deliveryFaultKinds = Object.keys(deliveryFaults) as DeliveryFaultKind[];

/** The row of a kind; one without properties for a fault in requests, and without a fault. */
export function getDeliveryFault(kind: FaultKind | undefined): Partial<DeliveryFault> {
  const rows: Readonly<Partial<Record<FaultKind, DeliveryFault>>> = deliveryFaults;
  return (kind === undefined ? undefined : rows[kind]) ?? {};
}

/** The default of `delay_ms`; undefined if the kind does not have it. */
export function getDefaultDelayMs(kind: FaultKind | undefined): number | undefined {
  const { holdMs, writeMs } = getDeliveryFault(kind);
  return holdMs ?? writeMs;
}

export type FaultKind = DeliveryFaultKind | (typeof requestFaultKinds)[number];

/** Real time. Node.js limits timers to 24.8 days. */
export const MAX_LATENCY_MS = DAY_MS;
/** Schedule time for `delay` and `reorder`, real time for `slow-body`. */
export const MAX_DELAY_MS = 30 * DAY_MS;

/** The fault that was applied to a request or an attempt, as it is stored with it. */
export interface AppliedFault {
  readonly id: string;
  readonly kind: FaultKind;
}

/** Whether an attempt is sent to the receiver although this fault is applied to it. */
export function isAttemptSent(fault: AppliedFault | undefined): boolean {
  return getDeliveryFault(fault?.kind).requests !== 0;
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
  409: 'idempotency_in_progress',
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
