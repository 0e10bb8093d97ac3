/** Serves the control plane at `/_svc`. */
import type { H3, H3Event, HTTPResponse } from 'h3';
import { type ControlOperations, controlOperations } from '../operations/control-operations.ts';
import type { Operation } from '../operations/operation.ts';
import { createDisconnectSignal } from './disconnect-signal.ts';
import { exportResponse } from './export-response.ts';
import { mountOperations } from './mount-operations.ts';
import { CONTROL_BODY_LIMIT_BYTES, readInput, receiveBody } from './read-request.ts';
import type { ServeAllowed } from './request-guard.ts';
import { controlResponse } from './responses.ts';
import { type SseOptions, sseResponse } from './sse-response.ts';

interface ControlApiOptions extends SseOptions {
  readonly serveAllowed: ServeAllowed;
  /** The OpenAPI document for a request to `origin`, as JSON. */
  readonly createDocument: (origin: string) => Promise<string>;
}

/** A request that the guard has accepted. */
interface AllowedRequest {
  readonly id: string;
  readonly event: H3Event;
}

export function mountControlApi(app: H3, options: ControlApiOptions): void {
  const { control, serveAllowed, createDocument } = options;

  async function perform<Name extends keyof ControlOperations>(
    name: Name,
    { id, event }: AllowedRequest,
  ): Promise<HTTPResponse> {
    const operation: ControlOperations[Name] & Operation = controlOperations[name];
    const received = await receiveBody(event, operation, CONTROL_BODY_LIMIT_BYTES);
    const { input } = readInput(event, operation, { received, isOptional: true });
    // `never`: the control plane validates the input.
    const output = await control[name](input as never, createDisconnectSignal(event));
    return controlResponse(operation.status ?? 200, JSON.stringify(output), id);
  }

  mountOperations(app, {
    prefix: '/_svc',
    operations: controlOperations,
    serve: (event, respond) => serveAllowed(event, (id) => respond({ id, event })),
    perform,
    pages: {
      '/stream': ({ event, id }) => sseResponse(event, options, id),
      '/deliveries/export': ({ event, id }) => exportResponse(event, options.control, id),
      '/openapi.json': async ({ event, id }) =>
        controlResponse(200, await createDocument(event.url.origin), id),
    },
    respondsMethodNotAllowed: false,
  });
}
