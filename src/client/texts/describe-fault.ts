/** Describes faults for people. */
import type { Fault } from '../../contract/fault-schemas.ts';
import { formatDuration } from '../../domain/duration.ts';
import { type AppliedFault, DEFAULT_ERROR_STATUS } from '../../domain/fault.ts';
import { formatCount } from '../../domain/message-parts.ts';

/** `status 503`, `connection closed after the operation`, `delay 10m`, `error-response, status 503` */
export function describeEffect(fault: Fault): string {
  const { kind, error_code: code, drop, latency_ms: latencyMs, delay_ms: delayMs } = fault;
  const { status = kind === 'error-response' ? DEFAULT_ERROR_STATUS : undefined } = fault;
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
  return probability < 1 ? `${text}, with ${Math.round(probability * 100)}% probability` : text;
}

/** `duplicate (flt_…)`; null without a fault. */
export function describeAppliedFault(fault: AppliedFault | undefined): string | null {
  return fault === undefined ? null : `${fault.kind} (${fault.id})`;
}
