/** Parses and checks a response: the server might not be an emulator, or might run another version of svc. */
import type * as v from 'valibot';
import { type ErrorCode, type Hint, isErrorCode, SvcError } from '../domain/errors.ts';
import { listProblems } from '../resources/validate.ts';

/** Several times the longest list of an emulator. Another server could send data without end. */
export const RESPONSE_LIMIT_BYTES = 128 * 1024 * 1024;

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/**
 * Parses JSON text.
 * @param address URL of the resource, for messages.
 * @throws SvcError `no_emulator` if the text is not JSON or does not match the schema.
 */
export function parseResponse<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string,
  address: string,
): v.InferOutput<Schema> {
  const value = parseJson(text, address);
  const [problem] = listProblems(schema, value);
  if (problem === undefined) return value as v.InferOutput<Schema>;
  throw createWrongServerError(address, `${problem.path || 'the response'} ${problem.problem}`);
}

export function createWrongServerError(address: string, problem: string): SvcError {
  return new SvcError(
    'no_emulator',
    `${address} is not an svc emulator, or runs another version of svc: ${problem}.`,
  );
}

function parseJson(text: string, address: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw createWrongServerError(address, 'the response is not JSON');
  }
}

/**
 * Converts an error response to an `SvcError`.
 * @param response with the body `{error: {code, message, field?, hint?}}`.
 * @param address its URL, for messages.
 */
export function toServerError(
  response: { readonly status: number; readonly text: string },
  address: string,
): SvcError {
  const error = findErrorFields(response.text);
  if (error === null) {
    const message = `${address} responded with ${response.status}, but it is not an svc emulator.`;
    return new SvcError('no_emulator', message);
  }
  const code = isErrorCode(error.code) ? error.code : toErrorCode(response.status);
  return new SvcError(code, error.message, { hint: error.hint, field: error.field });
}

interface ErrorFields {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
  readonly hint?: Hint;
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
