/** The control plane over HTTP at `/_svc`: one function serves every operation of the table. */
import type { H3, H3Event, HTTPResponse } from 'h3';
import { controlOperations } from '../contract/control-api.ts';
import { inputInQuery, type Operation, pathParameters } from '../contract/operation.ts';
import { SvcError } from '../errors.ts';
import { type Answering, answer } from './answer.ts';
import type { Guard } from './guard.ts';
import { readJsonBody } from './json-body.ts';
import { queryOf } from './query.ts';
import { controlErrorResponse, controlResponse } from './respond.ts';
import { type StreamServing, streamResponse } from './stream.ts';

const PREFIX = '/_svc';
/** Replays may carry a body of their own, and so a request here may be larger than one to `/v1`. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;

export interface ControlServing extends StreamServing, Answering {
  readonly guard: Guard;
  /** The document of these operations, for a request that came to `origin`. */
  readonly describe: (origin: string) => string;
}

export function mountControlApi(app: H3, serving: ControlServing): void {
  const { control, guard } = serving;
  const respond =
    (toResponse: (event: H3Event, requestId: string) => Promise<HTTPResponse>) => (event: H3Event) =>
      answer(
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
      const output = await call(await readInput(event, operation), whenGone(event));
      return controlResponse(operation.status, JSON.stringify(output), requestId);
    });
    app.on(operation.method, PREFIX + operation.path.replace(/\{(\w+)\}/g, ':$1'), handle);
  }
  const stream = respond(async (event, requestId) => streamResponse(event, serving, requestId));
  app.get(`${PREFIX}/events`, stream);
  const describe = respond(async ({ url }, requestId) =>
    controlResponse(200, serving.describe(url.origin), requestId),
  );
  app.get(`${PREFIX}/openapi.json`, describe);
  for (const path of [PREFIX, `${PREFIX}/**`]) app.all(path, respond(refusePath));
}

/** Aborted when the client closes the connection before it has the response. */
function whenGone({ runtime, req }: H3Event): AbortSignal {
  const response = runtime?.node?.res;
  if (response === undefined) return req.signal;
  const gone = new AbortController();
  response.on('close', () => response.writableFinished || gone.abort());
  return gone.signal;
}

async function refusePath({ req, url }: H3Event): Promise<never> {
  throw new SvcError('not_found', `The control plane has no ${req.method} ${url.pathname}.`);
}

async function readInput(event: H3Event, operation: Operation): Promise<object> {
  const parameters: Record<string, unknown> = {};
  for (const name of pathParameters(operation.path)) parameters[name] = event.context.params?.[name];
  if (inputInQuery(operation.method)) return { ...queryOf(event), ...parameters };
  return { ...(await readJsonBody(event, BODY_LIMIT_BYTES)).json.value, ...parameters };
}
