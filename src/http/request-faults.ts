/** Applies injected faults to requests to `/v1`: latency, error responses and dropped connections. */
import { type H3, H3Event, HTTPResponse } from 'h3';
import type { HttpRequest, HttpResponse } from '../client/http-request.ts';
import { toServerError } from '../client/parse-response.ts';
import { getDefaultErrorCode } from '../domain/fault.ts';
import type { Caller } from '../sandbox/access.ts';
import type { MatchingFault } from '../sandbox/faults.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { sleep } from '../timers.ts';
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

/** Requests of this process, which have no connection to drop. */
const droppedRequests = new WeakSet<Request>();

/** Closes the connection without a response. */
export function dropConnection({ req, runtime }: H3Event): HTTPResponse {
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

/**
 * Sends a request of this process to `/v1`, without the classes of the Fetch API, which take 14 ms to load.
 * @param request with header names in lower case
 * @throws SvcError of the response if its status is not 2xx; TypeError as {@link fetchInProcess}
 */
export async function sendInProcess(app: H3, request: HttpRequest): Promise<HttpResponse> {
  const { url, method, headers = {}, body = '' } = request;
  const values = new Map(Object.entries(headers).map(([name, value]) => [name, trimHeaderValue(value)]));
  // The part of a `Request` that the handlers of `/v1` read.
  const message = {
    url: url.href,
    method,
    headers: {
      get: (name: string) => values.get(name) ?? null,
      has: (name: string) => values.has(name),
      [Symbol.iterator]: () => values.entries(),
    },
    body: [Buffer.from(body)],
  } as unknown as Request;
  const response = (await app.handler(new H3Event(message))) as HTTPResponse;
  assertNotDropped(message);
  const { status = 200 } = response;
  const text = String(response.body ?? '');
  if (status >= 300) throw toServerError({ status, text }, url.href);
  return { status, headers: Object.fromEntries(response.headers), text };
}

/** As `fetch` does (Fetch standard, "normalize"). */
function trimHeaderValue(value: string): string {
  return value.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
}

function assertNotDropped(request: Request): void {
  if (!droppedRequests.has(request)) return;
  throw new TypeError('fetch failed', { cause: new Error('an injected fault dropped the connection') });
}
