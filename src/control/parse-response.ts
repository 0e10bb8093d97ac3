/** Reads what a server responded with, which may be no emulator at all, or one of another version. */
import type * as v from 'valibot';
import { findProblem } from '../contract/validate.ts';
import { SvcError } from '../errors.ts';

/** Several times the longest list that an emulator sends. A server could send without end. */
export const RESPONSE_LIMIT_BYTES = 128 * 1024 * 1024;

/**
 * The JSON value in `text`.
 * @param address of the resource, for messages.
 * @throws SvcError `no_emulator` when the text is not JSON or the value does not fit the schema.
 */
export function parseResponse<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string,
  address: string,
): v.InferOutput<Schema> {
  const value = parseJson(text, address);
  const problem = findProblem(schema, value);
  if (problem === null) return value as v.InferOutput<Schema>;
  throw notAnEmulator(address, `${problem.path || 'the response'} ${problem.problem}`);
}

export function notAnEmulator(address: string, why: string): SvcError {
  return new SvcError('no_emulator', `${address} is not an svc emulator, or one of another version: ${why}.`);
}

function parseJson(text: string, address: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notAnEmulator(address, 'the response is not JSON');
  }
}
