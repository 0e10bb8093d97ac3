/** The described service at `/v1`, and nothing else. */
import type { H3, H3Event, HTTPResponse } from 'h3';
import { isInputInQuery, type Operation, pathParameters } from '../contract/operation.ts';
import type { PublicOperations } from '../contract/public-operations.ts';
import { validate } from '../contract/validate.ts';
import { SvcError } from '../errors.ts';
import { authenticate, type Caller, requireScope } from '../sandbox/access.ts';
import type { FiredFault } from '../sandbox/faults.ts';
import { parseIdempotencyKey } from '../sandbox/idempotency.ts';
import { createPublicHandlers, type PublicCall, type PublicHandlers } from '../sandbox/public-handlers.ts';
import { RateLimiter } from '../sandbox/rate-limiter.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ApiHostGuard } from './api-host-guard.ts';
import { type InternalErrorLog, isInternalError } from './internal-error-log.ts';
import { readJsonBody } from './read-json-body.ts';
import { readQuery } from './read-query.ts';
import { applyFault, dropConnection } from './request-faults.ts';
import { findIdInPath, findIdOfRecord, logRequest } from './request-log.ts';
import { errorResponse, jsonResponse, type ResponseHeaders, toSvcError } from './responses.ts';

const PREFIX = '/v1';

export interface PublicApiOptions {
  readonly sandbox: Sandbox;
  readonly internalErrorLog: InternalErrorLog;
  readonly assertHost: ApiHostGuard;
  /** Aborted when the emulator stops. */
  readonly closing: AbortSignal;
}

interface PublicApiContext extends PublicApiOptions {
  readonly limiter: RateLimiter | null;
}

/** What is learned of a request on its way, for the answer and for the log. */
export interface RequestState {
  readonly requestId: string;
  readonly startedAt: number;
  caller: Caller | null;
  limitHeaders: ResponseHeaders;
  /** The fault that was ordered for it. */
  fault: FiredFault | null;
  errorCode: string | null;
  /** What it created or is about, by its id; null for a list. */
  resourceId: string | null;
}

export function mountPublicApi(app: H3, options: PublicApiOptions): void {
  const { sandbox } = options;
  const { rateLimit } = sandbox.rules;
  const limiter = rateLimit === null ? null : new RateLimiter(rateLimit, sandbox.wall);
  sandbox.bus.subscribe((sandboxEvent) => {
    if (sandboxEvent.type === 'state_replaced') limiter?.reset();
  });
  const serving = { ...options, limiter };
  const handlers = createPublicHandlers(sandbox);
  const methods = new Map<string, string[]>();
  for (const [name, operation] of Object.entries<Operation>(sandbox.operations)) {
    const path = PREFIX + operation.path.replace(/\{(\w+)\}/g, ':$1');
    methods.set(path, [...(methods.get(path) ?? []), operation.method]);
    const handler = handlers[name as keyof PublicHandlers];
    app.on(operation.method, path, (event) =>
      exchange(serving, event, (state) => perform(serving, event, state, operation, handler)),
    );
  }
  for (const [path, allowed] of methods) {
    app.all(path, (event) => exchange(serving, event, () => rejectMethod(event, allowed)));
  }
  for (const path of [PREFIX, `${PREFIX}/**`]) {
    app.all(path, (event) => exchange(serving, event, () => rejectUnknownPath(event)));
  }
}

/** One request from its id to its row in the log; no error gets past it. */
async function exchange(
  { sandbox, internalErrorLog, assertHost }: PublicApiContext,
  event: H3Event,
  answer: (state: RequestState) => Promise<HTTPResponse> | never,
): Promise<HTTPResponse> {
  const { wall } = sandbox;
  const state: RequestState = {
    requestId: sandbox.generator.ids('requests').next('request', sandbox.timestamp()),
    startedAt: wall.monotonic(),
    caller: null,
    limitHeaders: {},
    fault: null,
    errorCode: null,
    resourceId: null,
  };
  let response: HTTPResponse;
  try {
    assertHost(event);
    // The router takes a path with a slash at its end for the one without (decision `path.slash`).
    if (event.url.pathname.endsWith('/')) rejectUnknownPath(event);
    response = await answer(state);
  } catch (thrown) {
    const error = toSvcError(thrown);
    if (isInternalError(error)) internalErrorLog.report(state.requestId, thrown);
    state.errorCode = error.code;
    response = errorResponse(error, state.requestId, state.limitHeaders);
  }
  logRequest(sandbox, event, state, response.status ?? 200);
  return state.fault?.rule.drop ? dropConnection(event) : response;
}

async function perform(
  { sandbox, limiter, closing }: PublicApiContext,
  event: H3Event,
  state: RequestState,
  operation: Operation,
  handler: PublicHandlers[keyof PublicOperations],
): Promise<HTTPResponse> {
  const caller = authenticate(sandbox, event.req.headers.get('authorization'));
  state.caller = caller;
  state.resourceId = findIdInPath(event);
  if (limiter) state.limitHeaders = limiter.take(caller.keySeq);
  const faulty = await applyFault(sandbox, event, caller, state, closing);
  if (faulty) return faulty;
  if (operation.scope) requireScope(sandbox, caller, operation.scope);
  const operationResponse = await handler(await readCall(sandbox, event, caller, operation));
  state.resourceId ??= findIdOfRecord(operationResponse.body);
  const headers = operationResponse.replayed
    ? { ...state.limitHeaders, 'Idempotent-Replayed': 'true' }
    : state.limitHeaders;
  return jsonResponse(operationResponse.status, operationResponse.body, state.requestId, headers);
}

async function readCall(
  sandbox: Sandbox,
  event: H3Event,
  caller: Caller,
  operation: Operation,
): Promise<PublicCall> {
  const { method } = operation;
  const path = event.url.pathname;
  const parameters: Record<string, unknown> = {};
  for (const name of pathParameters(operation.path)) parameters[name] = event.context.params?.[name];
  if (isInputInQuery(method)) {
    const input = validate(operation.input, { ...readQuery(event), ...parameters }, 'invalid_request');
    return { caller, input: input as PublicCall['input'], method, path, body: null, idempotencyKey: null };
  }
  const idempotencyKey = parseIdempotencyKey(event.req.headers.get('idempotency-key'));
  const body = await readJsonBody(event, sandbox.rules.bodyLimitBytes);
  const input = validate(operation.input, { ...body.json.value, ...parameters }, 'validation_failed');
  return { caller, input: input as PublicCall['input'], method, path, body, idempotencyKey };
}

function rejectMethod(event: H3Event, allowed: readonly string[]): never {
  throw new SvcError(
    'method_not_allowed',
    `${event.req.method} is not allowed here, only ${allowed.join(' and ')}.`,
    {
      headers: { Allow: allowed.join(', ') },
    },
  );
}

function rejectUnknownPath(event: H3Event): never {
  throw new SvcError('not_found', `There is nothing at ${event.url.pathname}.`);
}
