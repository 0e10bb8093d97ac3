/** Converts an error response of a server to an `SvcError`. */
import { type ErrorCode, isErrorCode, SvcError } from '../errors.ts';

/** @param response with the body `{error: {code, message, hint?}}`. @param address its URL, for messages. */
export function toServerError(
  response: { readonly status: number; readonly text: string },
  address: string,
): SvcError {
  const error = findErrorFields(response.text);
  if (error === null) {
    return new SvcError(
      'no_emulator',
      `${address} responded with ${response.status}, but it is not an svc emulator.`,
    );
  }
  const code = isErrorCode(error.code) ? error.code : toErrorCode(response.status);
  return new SvcError(code, error.message, error.hint === undefined ? {} : { hint: error.hint });
}

interface ErrorFields {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

function findErrorFields(text: string): ErrorFields | null {
  try {
    const { error } = JSON.parse(text) as { error?: ErrorFields };
    return typeof error?.code === 'string' && typeof error.message === 'string' ? error : null;
  } catch {
    return null;
  }
}

const codesByStatus: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'not_found',
  409: 'conflict',
  429: 'rate_limited',
};

/** The code for a status, for error codes of a later version of the server or of the real service. */
function toErrorCode(status: number): ErrorCode {
  return codesByStatus[status] ?? (status >= 500 ? 'internal_error' : 'invalid_request');
}
