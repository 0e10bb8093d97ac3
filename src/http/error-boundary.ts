import type { HTTPResponse } from 'h3';
import type { SvcError } from '../errors.ts';
import { type InternalErrorLog, isInternalError } from './internal-error-log.ts';
import { toSvcError } from './responses.ts';

export interface ErrorBoundaryOptions {
  readonly internalErrorLog: InternalErrorLog;
  readonly nextRequestId: () => string;
}

/** One request beside `/v1`, from its id to its answer; no error gets past it. */
export async function withErrorBoundary(
  { internalErrorLog, nextRequestId }: ErrorBoundaryOptions,
  respond: (requestId: string) => HTTPResponse | Promise<HTTPResponse>,
  refuse: (error: SvcError, requestId: string) => HTTPResponse,
): Promise<HTTPResponse> {
  const requestId = nextRequestId();
  try {
    return await respond(requestId);
  } catch (thrown) {
    const error = toSvcError(thrown);
    if (isInternalError(error)) internalErrorLog.report(requestId, thrown);
    return refuse(error, requestId);
  }
}
