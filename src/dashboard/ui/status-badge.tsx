import {
  type AttemptOutcome,
  type DeliveryStatus,
  deliveryStatusSymbols,
  getDisplayStatus,
} from '../../domain/delivery.ts';

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

/** The status of a response: `✓ 200`, `✗ 422` */
export function HttpStatusBadge({ status }: { readonly status: number }) {
  const state = status < 400 ? 'succeeded' : 'failed';
  return (
    <span class={`badge ${state}`}>
      <span aria-hidden="true">{deliveryStatusSymbols[state]}</span> {status}
    </span>
  );
}

/** `✓ succeeded 200`, `✗ http_error 503`, `✗ timeout` */
export function OutcomeBadge(attempt: {
  readonly outcome: AttemptOutcome;
  readonly response_status: number | null;
}) {
  const state = attempt.outcome === 'succeeded' ? 'succeeded' : 'failed';
  return (
    <span class={`badge ${state}`}>
      <span aria-hidden="true">{deliveryStatusSymbols[state]}</span> {attempt.outcome}{' '}
      {attempt.response_status ?? ''}
    </span>
  );
}
