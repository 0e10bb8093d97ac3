/** The outcomes of attempts in words. */
import type { AttemptOutcome } from '../domain/delivery.ts';

export const outcomeLabels: Readonly<Record<AttemptOutcome, string>> = {
  succeeded: 'succeeded',
  http_error: 'HTTP error',
  timeout: 'timeout',
  connection_error: 'connection error',
  dns_error: 'DNS error',
  tls_error: 'TLS error',
  blocked: 'blocked',
};

/** `HTTP 500`, or what went wrong before a complete response: `connection error` */
export function formatOutcome({
  outcome,
  response_status: status,
}: {
  readonly outcome: AttemptOutcome;
  readonly response_status: number | null;
}): string {
  return outcome === 'http_error' || outcome === 'succeeded' ? `HTTP ${status}` : outcomeLabels[outcome];
}
