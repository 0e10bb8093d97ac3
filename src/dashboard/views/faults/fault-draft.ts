/** The form values of a fault and their conversion for the control plane. */
import type { ControlInput } from '../../../contract/control-operations.ts';
import {
  DEFAULT_ERROR_STATUS,
  type DeliveryFaultKind,
  defaultDelayMs,
  MAX_DELAY_MS,
  MAX_LATENCY_MS,
} from '../../../domain/fault.ts';
import { SvcError } from '../../../errors.ts';
import { readDurationField } from '../../duration-field.ts';

type NewFault = ControlInput<'addFault'>;

export interface FaultLimits {
  readonly count: string;
  /** In percent. */
  readonly probability: string;
}

interface DeliveryFaultDraft extends FaultLimits {
  readonly kind: DeliveryFaultKind;
  readonly status: string;
  readonly delay_ms: string;
  readonly type: string;
}

interface RequestFaultDraft extends FaultLimits {
  readonly status: string;
  readonly error_code: string;
  readonly latency_ms: string;
  readonly drop: '' | 'before' | 'after';
  readonly method: string;
  readonly path: string;
}

export const initialDeliveryFault: DeliveryFaultDraft = {
  kind: 'duplicate',
  status: String(DEFAULT_ERROR_STATUS),
  delay_ms: '',
  type: '',
  count: '',
  probability: '',
};

export const initialRequestFault: RequestFaultDraft = {
  status: '503',
  error_code: '',
  latency_ms: '',
  drop: '',
  method: '',
  path: '',
  count: '',
  probability: '',
};

export function hasDuration(kind: DeliveryFaultKind): kind is keyof typeof defaultDelayMs {
  return Object.hasOwn(defaultDelayMs, kind);
}

/** @throws SvcError `usage` for an invalid duration or number */
export function toDeliveryFault(draft: DeliveryFaultDraft, webhookId: string): NewFault {
  const { kind, type } = draft;
  return {
    on: 'delivery',
    kind,
    webhook_id: webhookId,
    ...optional('type', type.trim()),
    ...(kind === 'error-response' ? optional('status', toNumber('status', draft.status)) : {}),
    ...(hasDuration(kind) ? optional('delay_ms', toMs('delay_ms', draft.delay_ms, MAX_DELAY_MS)) : {}),
    ...toLimits(draft),
  };
}

/** How the next attempts to an endpoint fail: with an error status, or in another way. */
export const failures = {
  '503': '503 Service Unavailable',
  '500': '500 Internal Server Error',
  '429': '429 Too Many Requests',
  timeout: 'a timeout, immediately',
  reset: 'a connection reset',
} as const;

export interface FailureDraft {
  readonly count: string;
  readonly failure: keyof typeof failures;
}

/** @throws SvcError `usage` without a number */
export function toFailureFault({ count, failure }: FailureDraft, webhookId: string): NewFault {
  const effect =
    failure === 'timeout' || failure === 'reset'
      ? { kind: failure }
      : { kind: 'error-response' as const, status: Number(failure) };
  const number = toNumber('count', count);
  if (number === undefined) throw new SvcError('usage', 'count: Enter the number of attempts.');
  return { on: 'delivery', ...effect, webhook_id: webhookId, count: number };
}

/** @throws SvcError `usage` for an invalid duration or number, and for fields that do not fit together */
export function toRequestFault(draft: RequestFaultDraft): NewFault {
  const { error_code: code, drop, method, path } = draft;
  const problem = findRequestProblem(draft);
  if (problem !== null) throw new SvcError('usage', problem);
  return {
    on: 'request',
    ...optional('status', toNumber('status', draft.status)),
    ...optional('error_code', code.trim()),
    ...optional('latency_ms', toMs('latency_ms', draft.latency_ms, MAX_LATENCY_MS)),
    ...optional('drop', drop),
    ...optional('method', method),
    ...optional('path', path.trim()),
    ...toLimits(draft),
  };
}

/** The emulator also finds these problems, but names the fields of the control plane. */
function findRequestProblem({ status, error_code: code, latency_ms: latency, drop }: RequestFaultDraft) {
  const [hasStatus, hasCode, hasLatency] = [status, code, latency].map((text) => text.trim() !== '');
  if (!hasStatus && hasCode) return 'error_code: Enter a response status as well.';
  if (!hasStatus && !hasLatency && drop === '')
    return 'status: Enter a status or a latency, or choose when to close the connection.';
  if (hasStatus && drop !== '')
    return 'drop: Remove the response status. A closed connection has no response.';
  return null;
}

function toLimits({ count, probability }: FaultLimits) {
  const percent = toNumber('probability', probability);
  if (percent !== undefined && !(percent > 0 && percent <= 100))
    throw new SvcError('usage', 'probability must be above 0 and at most 100.');
  return {
    ...optional('count', toNumber('count', count)),
    ...optional('probability', percent === undefined ? undefined : percent / 100),
  };
}

/** The property, unless its value is empty. */
function optional<Name extends string, Value>(name: Name, value: Value | '' | undefined) {
  return (value === '' || value === undefined ? {} : { [name]: value }) as { readonly [_ in Name]?: Value };
}

function toNumber(field: string, text: string): number | undefined {
  if (text.trim() === '') return undefined;
  const number = Number(text);
  if (Number.isNaN(number)) throw new SvcError('usage', `${field} must be a number.`);
  return number;
}

function toMs(field: string, text: string, maxMs: number): number | undefined {
  if (text.trim() === '') return undefined;
  return readDurationField(field, text, { minMs: 1, maxMs, examples: '500ms, 30s or 10m' });
}
