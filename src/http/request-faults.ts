/** Applies injected faults to requests to `/v1`: latency, error responses and dropped connections. */
import { type H3Event, HTTPResponse } from 'h3';
import { getDefaultErrorCode } from '../domain/fault.ts';
import type { Caller } from '../emulator/service/access.ts';
import type { MatchingFault } from '../emulator/service/faults.ts';
import type { Sandbox } from '../emulator/service/sandbox.ts';
import { sleep } from '../platform/timers.ts';
import type { WireError } from './responses.ts';

/** Statuses that ask the client to retry, with the time (gap `rate.headers`). */
const RETRYABLE_STATUSES = new Set([429, 503]);

/**
 * Returns the fault that matches, if any, and counts its use. Call it before the operation: a request to which the fault responds must
 * not use up its idempotency key.
 */
export function findFault(
  { faults, store }: Sandbox,
  { req, url }: H3Event,
  { keyId: apiKeyId, workspaceSeq }: Caller,
): MatchingFault | null {
  const fault = faults.applyToRequest(() => ({
    method: req.method,
    path: url.pathname,
    apiKeyId,
    workspaceId: workspaceSeq === null ? null : (store.workspaces.findBySeq(workspaceSeq)?.id ?? null),
  }));
  return fault ?? null;
}

/** @param closing ends the wait. */
export async function waitForLatency({ rule }: MatchingFault, closing: AbortSignal): Promise<void> {
  const { latency_ms: latencyMs } = rule;
  if (latencyMs !== undefined) await sleep(latencyMs, closing);
}

/** The error that the fault responds with; null if it has no status. */
export function toFaultError({ applied, rule }: MatchingFault): WireError | null {
  const { status } = rule;
  if (status === undefined) return null;
  return {
    status,
    code: rule.error_code ?? getDefaultErrorCode(status),
    message: `The fault ${applied.id} injected this response.`,
    headers: RETRYABLE_STATUSES.has(status) ? { 'Retry-After': '1' } : {},
  };
}

/** Closes the connection without a response. */
export function dropConnection({ runtime }: H3Event): HTTPResponse {
  runtime?.node?.req.socket.destroy();
  return new HTTPResponse(null);
}
