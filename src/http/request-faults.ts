/** Applies injected faults to requests to `/v1`: latency, error responses and dropped connections. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type H3, type H3Event, HTTPResponse } from 'h3';
import { getDefaultErrorCode } from '../domain/fault.ts';
import type { Caller } from '../sandbox/access.ts';
import type { FiredFault } from '../sandbox/faults.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { PublicRequest } from './public-request.ts';
import { errorResponse, type WireError } from './responses.ts';

/** Statuses that ask the client to retry, with the time (decision `rate.headers`). */
const RETRYABLE_STATUSES = new Set([429, 503]);

/**
 * Applies a matching fault before the request is read: its idempotency key is not stored either.
 * @param closing ends a wait.
 * @returns the response instead of that of the operation; null to perform the operation.
 */
export async function applyFault(
  { faults, store }: Sandbox,
  request: PublicRequest,
  { keyId: apiKeyId, workspaceSeq }: Caller,
  closing: AbortSignal,
): Promise<HTTPResponse | null> {
  const { req, url } = request.event;
  const fault = faults.fireForRequest(() => ({
    method: req.method,
    path: url.pathname,
    apiKeyId,
    workspaceId: workspaceSeq === null ? null : (store.workspaces.findBySeq(workspaceSeq)?.id ?? null),
  }));
  if (fault === undefined) return null;
  request.fault = fault;
  const { latency_ms: latencyMs, status, drop } = fault.rule;
  if (latencyMs !== undefined) await sleep(latencyMs, undefined, { signal: closing }).catch(() => {});
  // The log shows status 0 for a dropped connection.
  if (drop === 'before') return new HTTPResponse(null, { status: 0 });
  if (status === undefined) return null;
  const error = toWireError(fault, status);
  request.errorCode = error.code;
  return errorResponse(error, request.id, request.rateLimitHeaders);
}

function toWireError({ mark, rule }: FiredFault, status: number): WireError {
  return {
    status,
    code: rule.error_code ?? getDefaultErrorCode(status),
    message: `The fault ${mark.id} injected this response.`,
    headers: RETRYABLE_STATUSES.has(status) ? { 'Retry-After': '1' } : {},
  };
}

/** Requests of this process, which have no connection to drop. */
const droppedRequests = new WeakSet<Request>();

/** Closes the connection without a response. */
export function dropConnection({ req, runtime }: H3Event): HTTPResponse {
  const socket = runtime?.node?.req.socket;
  if (socket === undefined) droppedRequests.add(req);
  else socket.destroy();
  return new HTTPResponse(null);
}

/** Sends a request of this process. @throws TypeError if a fault drops it, as `fetch` does. */
export async function fetchInProcess(app: H3, request: Request): Promise<Response> {
  const response = await app.fetch(request);
  if (droppedRequests.has(request)) {
    throw new TypeError('fetch failed', { cause: new Error('an injected fault dropped the connection') });
  }
  return response;
}
