/** Serves the described service at `/v1`. */
import type { H3, H3Event, HTTPResponse } from 'h3';
import type { PublicOperations } from '../contract/public-operations.ts';
import { validateInput } from '../contract/validate.ts';
import { authenticate, requireScope } from '../sandbox/access.ts';
import { parseIdempotencyKey } from '../sandbox/idempotency.ts';
import { createPublicHandlers } from '../sandbox/public-handlers.ts';
import { RateLimiter } from '../sandbox/rate-limiter.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ApiHostGuard } from './api-host-guard.ts';
import { type ErrorBoundaryOptions, withErrorBoundary } from './error-boundary.ts';
import { mountOperations, rejectPath } from './operation-runtime.ts';
import { PublicRequest } from './public-request.ts';
import { readInput } from './read-request.ts';
import { applyFault, dropConnection } from './request-faults.ts';
import { errorResponse, jsonResponse } from './responses.ts';

export interface PublicApiOptions extends ErrorBoundaryOptions {
  readonly sandbox: Sandbox;
  readonly assertHost: ApiHostGuard;
  /** Aborted when the emulator stops. */
  readonly closing: AbortSignal;
}

export function mountPublicApi(app: H3, options: PublicApiOptions): void {
  const { sandbox, assertHost, closing } = options;
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
      options,
      request.id,
      () => {
        assertHost(event);
        // The router ignores a slash at the end of a path (decision `path.slash`).
        if (event.url.pathname.endsWith('/')) rejectPath(event);
        return respond(request);
      },
      (error, requestId) => {
        request.errorCode = error.code;
        return errorResponse(error, requestId, request.rateLimitHeaders);
      },
    );
    request.log(response.status ?? 200);
    return request.fault?.rule.drop ? dropConnection(event) : response;
  }

  async function perform<Name extends keyof PublicOperations>(
    name: Name,
    request: PublicRequest,
  ): Promise<HTTPResponse> {
    const { event, id } = request;
    const operation = sandbox.operations[name];
    const caller = authenticate(sandbox, event.req.headers.get('authorization'));
    request.setCaller(caller);
    if (limiter) request.rateLimitHeaders = limiter.take(caller.keySeq);
    const faultResponse = await applyFault(sandbox, request, caller, closing);
    if (faultResponse) return faultResponse;
    requireScope(sandbox, caller, operation.scope);
    const isWrite = operation.method === 'POST';
    const idempotencyKey = isWrite ? parseIdempotencyKey(event.req.headers.get('idempotency-key')) : null;
    const { input, body } = await readInput(event, operation, {
      limitBytes: bodyLimitBytes,
      isOptional: false,
    });
    const result = await handlers[name]({
      caller,
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
    rejectsMethods: true,
  });
}
