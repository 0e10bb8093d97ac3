/** Serves the control plane at `/_svc`. */

import { type ControlOperations, controlOperations } from '../contract/control-operations.ts';
import type { Operation } from '../contract/operation.ts';
import { validateInput } from '../contract/validate.ts';
import type { ControlHandlers } from '../control/control-plane.ts';
import type { InternalErrorLog } from '../errors.ts';
import type { ControlGuard } from './control-guard.ts';
import { exportResponse } from './export-response.ts';
import type { IncomingRequest } from './incoming-request.ts';
import { mountOperations } from './mount-operations.ts';
import { CONTROL_BODY_LIMIT_BYTES, readInput, receiveBody } from './read-request.ts';
import { controlErrorResponse, controlResponse, type HttpResponse, withErrorBoundary } from './responses.ts';
import type { Router } from './router.ts';
import { type SseOptions, sseResponse } from './sse-response.ts';

interface ControlApiOptions extends SseOptions {
  readonly internalErrorLog: InternalErrorLog;
  readonly handlers: ControlHandlers;
  readonly nextRequestId: () => string;
  readonly guard: ControlGuard;
  /** The OpenAPI document for a request to `origin`, as JSON. */
  readonly createDocument: (origin: string) => Promise<string>;
}

/** A request that the guard has accepted. */
interface AllowedRequest {
  readonly id: string;
  readonly request: IncomingRequest;
}

export function mountControlApi(app: Router, options: ControlApiOptions): void {
  const { internalErrorLog, handlers, nextRequestId, guard, createDocument } = options;

  function serve(
    request: IncomingRequest,
    respond: (request: AllowedRequest) => HttpResponse | Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const respondIfAllowed = (id: string) => {
      guard.assertAllowed(request);
      return respond({ id, request });
    };
    return withErrorBoundary(internalErrorLog, nextRequestId(), respondIfAllowed, controlErrorResponse);
  }

  async function perform<Name extends keyof ControlOperations>(
    name: Name,
    { id, request }: AllowedRequest,
  ): Promise<HttpResponse> {
    const operation: ControlOperations[Name] & Operation = controlOperations[name];
    const received = await receiveBody(request, operation, CONTROL_BODY_LIMIT_BYTES);
    const { input } = readInput(request, operation, { received, isOptional: true });
    const output = await handlers[name](
      // TypeScript cannot relate the input to the handler of the same name.
      validateInput(operation, input) as never,
      createDisconnectSignal(request),
    );
    return controlResponse(operation.status ?? 200, JSON.stringify(output), id);
  }

  mountOperations(app, {
    prefix: '/_svc',
    operations: controlOperations,
    serve,
    perform,
    pages: {
      '/events': ({ request, id }) => sseResponse(request, options, id),
      '/deliveries/export': ({ request, id }) => exportResponse(request, options.control, id),
      '/openapi.json': async ({ request, id }) =>
        controlResponse(200, await createDocument(request.url.origin), id),
    },
    respondsMethodNotAllowed: false,
  });
}

/** Aborted when the client closes the connection before it has the response. */
export function createDisconnectSignal({ node, fetchRequest }: IncomingRequest): AbortSignal {
  if (node === undefined) return fetchRequest.signal;
  const response = node.res;
  const disconnected = new AbortController();
  // The client can have closed the connection while its request was read.
  if (response.destroyed) disconnected.abort();
  response.on('close', () => response.writableFinished || disconnected.abort());
  return disconnected.signal;
}
