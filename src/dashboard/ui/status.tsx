import type { AttemptOutcome, DeliveryStatus } from '../../domain/delivery.ts';

/** What tells states apart without colour as well. */
const symbols = { pending: '…', succeeded: '✓', failed: '✗', canceled: '–' } as const;

export function StatusBadge({ status }: { readonly status: DeliveryStatus }) {
  return (
    <span class={`badge ${status}`}>
      <span aria-hidden="true">{symbols[status]}</span> {status}
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
      <span aria-hidden="true">{symbols[state]}</span> {attempt.outcome} {attempt.response_status ?? ''}
    </span>
  );
}
