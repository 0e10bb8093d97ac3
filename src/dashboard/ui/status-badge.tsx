/** Badges for statuses and results, and counts of them. */
import type { AttemptSummary } from '../../contract/delivery-schemas.ts';
import {
  type DeliveryStatus,
  type DisplayStatus,
  deliveryStatuses,
  deliveryStatusSymbols,
  describeOutcome,
  MAX_DELIVERY_COUNT,
} from '../../domain/delivery.ts';
import { toHash } from '../address.ts';

interface StatusProps {
  readonly status: DisplayStatus;
  /** Number of deliveries with this status, for a badge that stands for several. */
  readonly count?: number;
}

const statusTitles: Partial<Record<DisplayStatus, string>> = {
  failing: 'The last attempt failed',
  paused: 'The endpoint is disabled',
};

export function StatusBadge({ status, count }: StatusProps) {
  return (
    <span class={`badge ${status}`} title={statusTitles[status]}>
      <span aria-hidden="true">{deliveryStatusSymbols[status]}</span> {count} {status}
    </span>
  );
}

const numberFormat = new Intl.NumberFormat('en');

/** A count of the control plane: `187`, or `1,000+` if it may be higher. */
function formatCappedCount(count: number): string {
  return `${numberFormat.format(count)}${count === MAX_DELIVERY_COUNT ? '+' : ''}`;
}

/** The number on a filter button. */
export function StatusCount({ status, count }: { readonly status: DisplayStatus; readonly count: number }) {
  if (count === 0) return null;
  return <span class={`count ${status}`}>{formatCappedCount(count)}</span>;
}

/** `✓ 2 succeeded ✗ 1 failed` */
export function DeliveryCounts({ countOf }: { readonly countOf: (status: DeliveryStatus) => number }) {
  return deliveryStatuses
    .filter((status) => countOf(status) > 0)
    .map((status) => [<StatusBadge key={status} status={status} count={countOf(status)} />, ' ']);
}

/** The status of a response: `✓ 200`, `✗ 422`. 0 is the status of a request that an injected fault dropped: `✗ dropped` */
export function HttpStatusBadge({ status }: { readonly status: number }) {
  const state = status !== 0 && status < 400 ? 'succeeded' : 'failed';
  return (
    <span class={`badge ${state}`}>
      <span aria-hidden="true">{deliveryStatusSymbols[state]}</span> {status === 0 ? 'dropped' : status}
    </span>
  );
}

/** `✓ 200`, `✗ 503`, `✗ timed out` */
export function OutcomeBadge(attempt: Pick<AttemptSummary, 'outcome' | 'response_status' | 'error'>) {
  const state = attempt.outcome === 'succeeded' ? 'succeeded' : 'failed';
  return (
    <span class={`badge ${state}`}>
      <span aria-hidden="true">{deliveryStatusSymbols[state]}</span> {describeOutcome(attempt)}
    </span>
  );
}

interface AttemptLinkProps {
  readonly attempt: Pick<AttemptSummary, 'delivery_id' | 'number' | 'event_type'>;
}

/** Links one attempt of a delivery: `order.shipped attempt 2` */
export function AttemptLink({ attempt: { delivery_id: id, number, event_type: type } }: AttemptLinkProps) {
  return (
    <a href={toHash({ section: 'deliveries', id, query: { attempt: String(number) } })}>
      {type} <span class="muted">attempt {number}</span>
    </a>
  );
}
