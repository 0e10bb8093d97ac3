import { type AttemptOutcome, type DeliveryStatus, displayStatus } from '../../domain/delivery.ts';

/** What tells states apart without colour as well. */
const symbols = { pending: '…', paused: '‖', succeeded: '✓', failed: '✗', canceled: '–' } as const;

interface StatusProps {
  readonly status: DeliveryStatus;
  /** Whether its endpoint is disabled. */
  readonly paused?: boolean;
  /** How many have it, where the badge is of several. */
  readonly count?: number;
}

export function StatusBadge({ status, paused = false, count }: StatusProps) {
  const state = displayStatus({ status, paused });
  return (
    <span class={`badge ${status}`} title={paused ? 'Its endpoint is disabled' : undefined}>
      <span aria-hidden="true">{symbols[state]}</span> {count} {state}
    </span>
  );
}

/** The status of an answer: `200`, `✗ 422` */
export function HttpStatusBadge({ status }: { readonly status: number }) {
  const state = status < 400 ? 'succeeded' : 'failed';
  return (
    <span class={`badge ${state}`}>
      <span aria-hidden="true">{symbols[state]}</span> {status}
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
