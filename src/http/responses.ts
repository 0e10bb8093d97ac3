/**
 * Answers and errors on the wire. They are not of the class `Response`: where another library put its own in the place of
 * the global one, as the Node.js server of Hono does, h3 would not recognise them.
 */
import { HTTPResponse } from 'h3';
import type { ControlErrorBody, ErrorBody } from '../contract/resources.ts';
import { SvcError } from '../errors.ts';
import { isStorageError } from '../store/database.ts';

export type ResponseHeaders = Readonly<Record<string, string>>;

/** Whatever somebody stored is never taken for a page, a style or a script. */
const nosniffHeader: ResponseHeaders = { 'X-Content-Type-Options': 'nosniff' };

/** For what only the pages of the emulator itself may have: other pages can neither embed it nor learn of it. */
export const isolationHeaders: ResponseHeaders = {
  ...nosniffHeader,
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/** A JSON answer; every one carries its request id (decision `request.id`). */
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

/** An answer of the control plane. It may tell secrets: nothing keeps it. */
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

/** What of an error goes over the wire: of an `SvcError`, or of one that a fault was ordered to answer with. */
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

/** An error of the control plane: the envelope of §7 and, for people, the next step. */
export function controlErrorResponse(error: SvcError, requestId: string): HTTPResponse {
  const { code, message, hint } = error;
  const body: ControlErrorBody = {
    error: { code, message, request_id: requestId, ...(hint === undefined ? {} : { hint }) },
  };
  return controlResponse(error.status, JSON.stringify(body), requestId, error.headers);
}

/** Whatever was thrown, as an error that may leave the house: of a fault inside, no detail does. */
export function toSvcError(thrown: unknown): SvcError {
  if (thrown instanceof SvcError) return thrown;
  if (isStorageError(thrown)) {
    return new SvcError('storage_unavailable', `The database cannot be used: ${thrown.message}.`, {
      cause: thrown,
    });
  }
  return new SvcError('internal_error', 'Something went wrong inside the emulator; its log says what.', {
    cause: thrown,
  });
}
