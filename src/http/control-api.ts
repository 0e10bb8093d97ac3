/** The control plane over HTTP at `/_svc`: one function serves every operation of the table. */
import type { H3, H3Event, HTTPResponse } from 'h3';
import { controlOperations } from '../contract/control-operations.ts';
import { isInputInQuery, type Operation, pathParameters } from '../contract/operation.ts';
import { SvcError } from '../errors.ts';
import type { ControlGuard } from './control-guard.ts';
import { type ErrorBoundaryOptions, withErrorBoundary } from './error-boundary.ts';
import { readOptionalJsonBody } from './read-json-body.ts';
import { readQuery } from './read-query.ts';
import { controlErrorResponse, controlResponse } from './responses.ts';
import { type SseOptions, sseResponse } from './sse-response.ts';

const PREFIX = '/_svc';
/** Replays may carry a body of their own, and so a request here may be larger than one to `/v1`. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;

export interface ControlApiOptions extends SseOptions, ErrorBoundaryOptions {
  readonly guard: ControlGuard;
  /** The document of these operations, for a request that came to `origin`. */
  readonly describe: (origin: string) => string;
}

export function mountControlApi(app: H3, serving: ControlApiOptions): void {
  const { control, guard } = serving;
  const respond =
    (toResponse: (event: H3Event, requestId: string) => Promise<HTTPResponse>) => (event: H3Event) =>
      withErrorBoundary(
        serving,
        (requestId) => {
          guard.assertAllowed(event);
          return toResponse(event, requestId);
        },
        controlErrorResponse,
      );
  for (const [name, operation] of Object.entries<Operation>(controlOperations)) {
    const call = control[name as keyof typeof controlOperations] as (
      input: object,
      signal: AbortSignal,
    ) => Promise<unknown>;
    const handle = respond(async (event, requestId) => {
      const output = await call(await readInput(event, operation), createDisconnectSignal(event));
      return controlResponse(operation.status, JSON.stringify(output), requestId);
    });
    app.on(operation.method, PREFIX + operation.path.replace(/\{(\w+)\}/g, ':$1'), handle);
  }
  const stream = respond(async (event, requestId) => sseResponse(event, serving, requestId));
  app.get(`${PREFIX}/events`, stream);
  const describe = respond(async ({ url }, requestId) =>
    controlResponse(200, serving.describe(url.origin), requestId),
  );
  app.get(`${PREFIX}/openapi.json`, describe);
  for (const path of [PREFIX, `${PREFIX}/**`]) app.all(path, respond(rejectUnknownPath));
}

/** Aborted when the client closes the connection before it has the response. */
function createDisconnectSignal({ runtime, req }: H3Event): AbortSignal {
  const response = runtime?.node?.res;
  if (response === undefined) return req.signal;
  const gone = new AbortController();
  response.on('close', () => response.writableFinished || gone.abort());
  return gone.signal;
}

async function rejectUnknownPath({ req, url }: H3Event): Promise<never> {
  throw new SvcError('not_found', `The control plane has no ${req.method} ${url.pathname}.`);
}

async function readInput(event: H3Event, operation: Operation): Promise<object> {
  const parameters: Record<string, unknown> = {};
  for (const name of pathParameters(operation.path)) parameters[name] = event.context.params?.[name];
  if (isInputInQuery(operation.method)) return { ...readQuery(event), ...parameters };
  const body = await readOptionalJsonBody(event, BODY_LIMIT_BYTES);
  return { ...body?.json.value, ...parameters };
}
