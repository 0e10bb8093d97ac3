/** Serves the described service at `/v1`. */
import { type H3, type H3Event, HTTPResponse } from 'h3';
import type { InternalErrorLog } from '../domain/errors.ts';
import { isId } from '../domain/ids.ts';
import { authenticate, type Caller, RateLimiter, requireScope } from '../emulator/service/access.ts';
import type { MatchingFault } from '../emulator/service/faults.ts';
import { parseIdempotencyKey } from '../emulator/service/idempotency.ts';
import { createPublicHandlers } from '../emulator/service/public-handlers.ts';
import type { Sandbox } from '../emulator/service/sandbox.ts';
import { validateInput } from '../operations/operation.ts';
import type { PublicOperations } from '../operations/public-operations.ts';
import { LOGGED_TEXT_LIMIT, toLoggedMessages, toLoggedPath, toLoggedText } from './logged-messages.ts';
import { mountOperations, rejectPath } from './mount-operations.ts';
import { readInput, receiveBody } from './read-request.ts';
import { dropConnection, findFault, toFaultError, waitForLatency } from './request-faults.ts';
import type { RequestGuard } from './request-guard.ts';
import {
  errorResponse,
  jsonResponse,
  type ResponseHeaders,
  type WireError,
  withErrorBoundary,
} from './responses.ts';

interface PublicApiOptions {
  readonly internalErrorLog: InternalErrorLog;
  readonly sandbox: Sandbox;
  readonly guard: RequestGuard;
  /** Aborted when the emulator stops. */
  readonly closing: AbortSignal;
}

export function mountPublicApi(app: H3, options: PublicApiOptions): void {
  const { sandbox, guard, closing } = options;
  const { rateLimit, bodyLimitBytes } = sandbox.rules;
  const limiter = rateLimit === null ? null : new RateLimiter(rateLimit, sandbox.wall);
  sandbox.bus.subscribe(({ type }) => {
    if (type === 'state_replaced') limiter?.reset();
  });
  const handlers = createPublicHandlers(sandbox);

  async function serve(
    event: H3Event,
    respond: (request: PublicRequest) => HTTPResponse | Promise<HTTPResponse>,
  ): Promise<HTTPResponse> {
    const request = new PublicRequest(sandbox, event);
    const response = await withErrorBoundary(
      options.internalErrorLog,
      request.id,
      () => {
        guard.assertApiHost(event);
        // The router ignores a slash at the end of a path (gap `path.slash`).
        if (event.url.pathname.endsWith('/')) rejectPath(event);
        return respond(request);
      },
      (error, requestId) => {
        request.error = error;
        return errorResponse(error, requestId, request.rateLimitHeaders);
      },
    );
    request.log(response);
    return request.fault?.rule.drop ? dropConnection(event) : response;
  }

  async function perform<Name extends keyof PublicOperations>(
    name: Name,
    request: PublicRequest,
  ): Promise<HTTPResponse> {
    const { event, id } = request;
    const operation = sandbox.operations[name];
    const { keySeq } = request.authenticate();
    const isWrite = operation.method === 'POST';
    // The log also contains the body of a request that is rejected before its body matters.
    const received = await receiveBody(event, operation, bodyLimitBytes);
    if (isWrite && !(received instanceof Error)) request.body = received;
    if (limiter) request.rateLimitHeaders = limiter.take(keySeq);
    // Again after each wait: the key can have been revoked, or all state replaced.
    let caller = request.authenticate();
    request.fault = findFault(sandbox, event, caller);
    if (request.fault !== null) {
      await waitForLatency(request.fault, closing);
      caller = request.authenticate();
      const faultResponse = respondWithFault(request, request.fault);
      if (faultResponse) return faultResponse;
    }
    requireScope(sandbox, caller, operation.scope);
    const idempotencyKey = isWrite ? parseIdempotencyKey(event.req.headers.get('idempotency-key')) : null;
    // Throws the error of the body, after other reasons to reject the request.
    const { input, body } = readInput(event, operation, { received, isOptional: false });
    const result = await handlers[name]({
      caller,
      // TypeScript cannot relate the input to the handler of the same name.
      input: validateInput(operation, input) as never,
      method: operation.method,
      path: event.url.pathname,
      body,
      idempotencyKey,
    });
    request.resourceId ??= result.resourceId;
    const headers = result.isReplayed
      ? { ...request.rateLimitHeaders, 'Idempotent-Replayed': 'true' }
      : request.rateLimitHeaders;
    return jsonResponse(result.status, result.text, id, headers);
  }

  mountOperations(app, {
    prefix: '/v1',
    operations: sandbox.operations,
    serve,
    perform,
    respondsMethodNotAllowed: true,
  });
}

/** The response of a fault instead of that of the operation; null if the operation still runs. */
function respondWithFault(request: PublicRequest, fault: MatchingFault): HTTPResponse | null {
  // The log shows status 0 for a dropped connection.
  if (fault.rule.drop === 'before') return new HTTPResponse(null, { status: 0 });
  const error = toFaultError(fault);
  if (error === null) return null;
  request.error = error;
  return errorResponse(error, request.id, request.rateLimitHeaders);
}

/** A request to `/v1`, from its arrival to its row in the request log. */
class PublicRequest {
  readonly id: string;
  readonly event: H3Event;
  /** Null without a valid API key. */
  caller: Caller | null = null;
  /** Resource that the request names or has created; null for a list. */
  resourceId: string | null = null;
  rateLimitHeaders: ResponseHeaders = {};
  fault: MatchingFault | null = null;
  error: Pick<WireError, 'code' | 'message'> | null = null;
  /** Null if it was not read completely. */
  body: Buffer | null = null;
  readonly #sandbox: Sandbox;
  /** Wall time. */
  readonly #arrivedAt: number;
  /** Monotonic time. */
  readonly #startedAt: number;

  constructor(sandbox: Sandbox, event: H3Event) {
    this.#sandbox = sandbox;
    this.#arrivedAt = sandbox.wall.now();
    this.#startedAt = sandbox.wall.monotonic();
    this.id = sandbox.generator.ids('requests').next('request', sandbox.timestamp());
    this.event = event;
  }

  /**
   * Finds the caller, and the resource that the path names.
   * @throws SvcError `unauthenticated`.
   */
  authenticate(): Caller {
    // The row of an earlier caller may not exist any more.
    this.caller = null;
    this.caller = authenticate(this.#sandbox, this.event.req.headers.get('authorization'));
    const id = this.event.context.params?.id;
    this.resourceId = id !== undefined && isId(id) ? id : null;
    return this.caller;
  }

  /** Writes the request into the log with the next group of writes: a commit of its own would cost a flush to the disk. */
  log(response: HTTPResponse): void {
    const { store, wall } = this.#sandbox;
    const durationMs = Math.round((wall.monotonic() - this.#startedAt) * 1000) / 1000;
    // Prepared when it is written, which is usually after the response and the delivery.
    void store.writeLater(() => {
      const { event, caller, error } = this;
      const path = toLoggedPath(event);
      const userAgent = event.req.headers.get('user-agent');
      store.apiRequests.insert({
        seq: store.nextSeq(),
        id: this.id,
        at_wall: this.#arrivedAt,
        method: event.req.method,
        path: path.slice(0, LOGGED_TEXT_LIMIT),
        status: response.status ?? 200,
        error_code: error?.code ?? null,
        error_message: error && toLoggedText(error.message, LOGGED_TEXT_LIMIT),
        duration_ms: durationMs,
        api_key_seq: caller?.keySeq ?? null,
        workspace_seq: caller?.workspaceSeq ?? null,
        resource_id: this.resourceId,
        user_agent: userAgent && toLoggedText(userAgent, LOGGED_TEXT_LIMIT),
        fault: this.fault && JSON.stringify(this.fault.applied),
        ...toLoggedMessages({ event, path, body: this.body, response }),
      });
    });
  }
}
