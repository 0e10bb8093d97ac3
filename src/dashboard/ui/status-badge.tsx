import type { AttemptSummary } from '../../contract/delivery-schemas.ts';
import {
  type DeliveryStatus,
  deliveryStatuses,
  deliveryStatusSymbols,
  describeOutcome,
  getDisplayStatus,
} from '../../domain/delivery.ts';
import { toHash } from '../address.ts';

interface StatusProps {
  readonly status: DeliveryStatus;
  /** Whether the endpoint is disabled. */
  readonly paused?: boolean;
  /** Number of deliveries with this status, for a badge that stands for several. */
  readonly count?: number;
}

export function StatusBadge({ status, paused = false, count }: StatusProps) {
  const state = getDisplayStatus({ status, paused });
  return (
    <span class={`badge ${status}`} title={paused ? 'The endpoint is disabled' : undefined}>
      <span aria-hidden="true">{deliveryStatusSymbols[state]}</span> {count} {state}
    </span>
  );
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
