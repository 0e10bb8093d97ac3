/** Applies injected faults to requests to `/v1`: latency, error responses and dropped connections. */
import { type H3, HTTPResponse } from 'h3';
import { getDefaultErrorCode } from '../domain/fault.ts';
import type { Caller } from '../emulator/service/access.ts';
import type { MatchingFault } from '../emulator/service/faults.ts';
import type { Sandbox } from '../emulator/service/sandbox.ts';
import { sleep } from '../platform/timers.ts';
import type { ApiEvent } from './api-event.ts';
import { keepGlobalClass } from './original-class.ts';
import type { WireError } from './responses.ts';

/** Statuses that ask the client to retry, with the time (gap `rate.headers`). */
const RETRYABLE_STATUSES = new Set([429, 503]);

/**
 * Returns the fault that matches, if any, and counts its use. Call it before the operation: a request to which the fault responds must
 * not use up its idempotency key.
 */
export function findFault(
  { faults, store }: Sandbox,
  { req, url }: ApiEvent,
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

/** Requests of this process, which have no connection to drop. */
const droppedRequests = new WeakSet<ApiEvent['req']>();

/** Closes the connection without a response. */
export function dropConnection({ req, runtime }: ApiEvent): HTTPResponse {
  const socket = runtime?.node?.req.socket;
  if (socket === undefined) droppedRequests.add(req);
  else socket.destroy();
  return new HTTPResponse(null);
}

const getResponseClass = keepGlobalClass('Response');

/** Sends a request of this process. @throws TypeError if a fault drops it, as `fetch` does. */
export async function fetchInProcess(app: H3, request: Request): Promise<Response> {
  const response = await app.fetch(request);
  assertNotDropped(request);
  // h3 returns its own class, not a `Response`.
  const OriginalResponse = getResponseClass();
  return new OriginalResponse(response.body, response);
}

/** @throws TypeError if a fault dropped the request of this process, as `fetch` does */
export function assertNotDropped(request: ApiEvent['req']): void {
  if (!droppedRequests.has(request)) return;
  throw new TypeError('fetch failed', { cause: new Error('an injected fault dropped the connection') });
}
