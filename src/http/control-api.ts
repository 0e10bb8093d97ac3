/** The control plane over HTTP at `/_svc`: one function serves every operation of the table. */
import type { H3, H3Event, HTTPResponse } from 'h3';
import { controlOperations } from '../contract/control-api.ts';
import { inputInQuery, type Operation, pathParameters } from '../contract/operation.ts';
import { SvcError } from '../errors.ts';
import { type FaultLog, isFault } from './fault-log.ts';
import type { Guard } from './guard.ts';
import { readJsonBody } from './json-body.ts';
import { queryOf } from './query.ts';
import { controlErrorResponse, jsonResponse, toSvcError } from './respond.ts';
import { type StreamServing, streamResponse } from './stream.ts';

const PREFIX = '/_svc';
/** Replays may carry a body of their own, and so a request here may be larger than one to `/v1`. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;

export interface ControlServing extends StreamServing {
  readonly guard: Guard;
  readonly faultLog: FaultLog;
  readonly nextRequestId: () => string;
}

export function mountControlApi(app: H3, serving: ControlServing): void {
  const { control } = serving;
  for (const [name, operation] of Object.entries<Operation>(controlOperations)) {
    const call = control[name as keyof typeof controlOperations] as (input: object) => Promise<unknown>;
    app.on(operation.method, PREFIX + operation.path.replace(/\{(\w+)\}/g, ':$1'), (event) =>
      answer(serving, event, async (requestId) => {
        const output = await call(await readInput(event, operation));
        return jsonResponse(operation.status, JSON.stringify(output), requestId);
      }),
    );
  }
  app.get(`${PREFIX}/events`, (event) =>
    answer(serving, event, async (requestId) => streamResponse(event, serving, requestId)),
  );
  for (const path of [PREFIX, `${PREFIX}/**`]) {
    app.all(path, (event) =>
      answer(serving, event, () => {
        throw new SvcError(
          'not_found',
          `The control plane has no ${event.req.method} ${event.url.pathname}.`,
        );
      }),
    );
  }
}

async function answer(
  { guard, faultLog, nextRequestId }: ControlServing,
  event: H3Event,
  respond: (requestId: string) => Promise<HTTPResponse>,
): Promise<HTTPResponse> {
  const requestId = nextRequestId();
  try {
    guard.assertAllowed(event);
    return await respond(requestId);
  } catch (thrown) {
    const error = toSvcError(thrown);
    if (isFault(error)) faultLog.report(requestId, thrown);
    return controlErrorResponse(error, requestId);
  }
}

async function readInput(event: H3Event, operation: Operation): Promise<object> {
  const parameters: Record<string, unknown> = {};
  for (const name of pathParameters(operation.path)) parameters[name] = event.context.params?.[name];
  if (inputInQuery(operation.method)) return { ...queryOf(event), ...parameters };
  return { ...(await readJsonBody(event, BODY_LIMIT_BYTES)).json.value, ...parameters };
}
