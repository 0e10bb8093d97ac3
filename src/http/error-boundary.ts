/** Ends each request with a response, also after an error, and reports internal errors. */
import type { HTTPResponse } from 'h3';
import type { SvcError } from '../errors.ts';
import type { InternalErrorLog } from './internal-error-log.ts';
import { toSvcError } from './responses.ts';

export interface ErrorBoundaryOptions {
  readonly internalErrorLog: InternalErrorLog;
}

/** The response of `respond`, or the one of the error that it throws. Never rejects. */
export async function withErrorBoundary(
  { internalErrorLog }: ErrorBoundaryOptions,
  requestId: string,
  respond: () => HTTPResponse | Promise<HTTPResponse>,
  toErrorResponse: (error: SvcError, requestId: string) => HTTPResponse,
): Promise<HTTPResponse> {
  try {
    return await respond();
  } catch (thrown) {
    const error = toSvcError(thrown);
    if (isInternalError(error)) internalErrorLog.report(requestId, thrown);
    return toErrorResponse(error, requestId);
  }
}

function isInternalError({ code }: SvcError): boolean {
  return code === 'internal_error' || code === 'storage_unavailable';
}
