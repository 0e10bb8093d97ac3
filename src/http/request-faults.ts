/** Faults that are ordered for requests to `/v1`: late answers, other answers, and none. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type H3, type H3Event, HTTPResponse } from 'h3';
import { defaultErrorCode } from '../domain/fault.ts';
import type { Caller } from '../sandbox/access.ts';
import type { FiredFault } from '../sandbox/faults.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { RequestState } from './public-api.ts';
import { errorResponse, type WireError } from './responses.ts';

/** Statuses that ask to come back, and so say when (decision `rate.headers`). */
const RETRYABLE_STATUSES = new Set([429, 503]);

/**
 * Lets a fault have its way before anything is done for the request: nothing of it is read, written or kept, its
 * idempotency key included.
 * @param closing ends a wait.
 * @returns what it answers with in the place of the operation; null where the operation is to be done.
 */
export async function applyFault(
  { faults, store }: Sandbox,
  event: H3Event,
  { keyId: apiKeyId, workspaceSeq }: Caller,
  state: RequestState,
  closing: AbortSignal,
): Promise<HTTPResponse | null> {
  const fault = faults.fireForRequest(() => ({
    ...{ method: event.req.method, path: event.url.pathname, apiKeyId },
    workspaceId: workspaceSeq === null ? null : (store.workspaces.findBySeq(workspaceSeq)?.id ?? null),
  }));
  if (fault === undefined) return null;
  state.fault = fault;
  const { latency_ms: latencyMs, status, drop } = fault.rule;
  if (latencyMs !== undefined) await sleep(latencyMs, undefined, { signal: closing }).catch(() => {});
  // Its status, 0, is what the log has of a request that was not answered.
  if (drop === 'before') return new HTTPResponse(null, { status: 0 });
  if (status === undefined) return null;
  const error = toWireError(fault, status);
  state.errorCode = error.code;
  return errorResponse(error, state.requestId, state.limitHeaders);
}

function toWireError({ mark, rule }: FiredFault, status: number): WireError {
  return {
    status,
    code: rule.error_code ?? defaultErrorCode(status),
    message: `The fault ${mark.id} injected this response.`,
    headers: RETRYABLE_STATUSES.has(status) ? { 'Retry-After': '1' } : {},
  };
}

/** Requests that came by no connection, and whose answer is lost all the same. */
const droppedRequests = new WeakSet<Request>();

/** Closes the connection without an answer. */
export function dropConnection({ req, runtime }: H3Event): HTTPResponse {
  const socket = runtime?.node?.req.socket;
  if (socket === undefined) droppedRequests.add(req);
  else socket.destroy();
  return new HTTPResponse(null);
}

/** The answer to a request of the same process. @throws TypeError where a fault drops it, as `fetch` does. */
export async function fetchInProcess(app: H3, request: Request): Promise<Response> {
  const response = await app.fetch(request);
  if (droppedRequests.has(request))
    throw new TypeError('fetch failed', { cause: new Error('a fault dropped it') });
  return response;
}
