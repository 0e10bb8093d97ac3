/**
 * Builds JSON responses and error responses. They are not instances of `Response`: another library, such as the Node.js server
 * of Hono, can replace that global, and h3 would not recognize them.
 */
import { HTTPResponse } from 'h3';
import { type InternalErrorLog, SvcError } from '../domain/errors.ts';
import type { ControlErrorBody, ErrorBody } from '../operations/error-schemas.ts';
import { createStorageError, isStorageError } from '../store/database.ts';

export type ResponseHeaders = Readonly<Record<string, string>>;

/** Stored data must never be interpreted as a page, a style or a script. */
const nosniffHeader: ResponseHeaders = { 'X-Content-Type-Options': 'nosniff' };

/** For resources that only pages of the emulator can use: other pages cannot embed them. */
export const isolationHeaders: ResponseHeaders = {
  ...nosniffHeader,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** A JSON response with the request ID (gap `request.id`). */
export function jsonResponse(
  status: number,
  body: string,
  requestId: string,
  headers: ResponseHeaders = {},
): HTTPResponse {
  return new HTTPResponse(body, {
    status,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Request-Id': requestId,
      ...nosniffHeader,
      ...headers,
    },
  });
}

/** A response of the control plane. It can contain secrets, so it is not cached. */
export function controlResponse(
  status: number,
  body: string,
  requestId: string,
  headers: ResponseHeaders = {},
): HTTPResponse {
  return jsonResponse(status, body, requestId, { ...controlHeaders, ...headers });
}

export const controlHeaders: ResponseHeaders = {
  ...isolationHeaders,
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

/** What a client receives of an error: an `SvcError`, or an error that a fault injected. */
export interface WireError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly headers: ResponseHeaders;
}

/** The error envelope of §7: exactly `code`, `message` and `request_id`. */
export function errorResponse(
  error: WireError,
  requestId: string,
  headers: ResponseHeaders = {},
): HTTPResponse {
  return jsonResponse(error.status, toErrorJson(error, requestId), requestId, {
    ...headers,
    ...error.headers,
  });
}

export function toErrorJson(
  { code, message }: Pick<WireError, 'code' | 'message'>,
  requestId: string,
): string {
  const body: ErrorBody = { error: { code, message, request_id: requestId } };
  return JSON.stringify(body);
}

/** An error of the control plane: the envelope of §7 with the invalid field and a hint. */
export function controlErrorResponse(error: SvcError, requestId: string): HTTPResponse {
  const { code, message, field, hint } = error;
  const body: ControlErrorBody = { error: { code, message, field, request_id: requestId, hint } };
  return controlResponse(error.status, JSON.stringify(body), requestId, error.headers);
}

/** Converts a thrown value to an error that clients can see. It hides the details of internal errors. */
export function toSvcError(thrown: unknown): SvcError {
  if (thrown instanceof SvcError) return thrown;
  if (isStorageError(thrown)) {
    return createStorageError(`The database cannot be used: ${thrown.message}.`, thrown);
  }
  return new SvcError('internal_error', 'Internal error in the emulator. Its log has the details.', {
    cause: thrown,
  });
}

/** The response of `respond`, or the one of the error that it throws. Never rejects. */
export async function withErrorBoundary(
  internalErrorLog: InternalErrorLog,
  requestId: string,
  respond: (requestId: string) => HTTPResponse | Promise<HTTPResponse>,
  toErrorResponse: (error: SvcError, requestId: string) => HTTPResponse,
): Promise<HTTPResponse> {
  try {
    return await respond(requestId);
  } catch (thrown) {
    const error = toSvcError(thrown);
    if (['internal_error', 'storage_unavailable'].includes(error.code))
      internalErrorLog.report(requestId, thrown);
    return toErrorResponse(error, requestId);
  }
}
