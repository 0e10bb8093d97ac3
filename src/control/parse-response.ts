/** Parses and checks a response: the server might not be an emulator, or might run another version of svc. */
import type * as v from 'valibot';
import { findProblem } from '../contract/validate.ts';
import { SvcError } from '../errors.ts';

/** Several times the longest list of an emulator. Another server could send data without end. */
export const RESPONSE_LIMIT_BYTES = 128 * 1024 * 1024;

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
  const problem = findProblem(schema, value);
  if (problem === null) return value as v.InferOutput<Schema>;
  throw notAnEmulator(address, `${problem.path || 'the response'} ${problem.problem}`);
}

export function notAnEmulator(address: string, problem: string): SvcError {
  return new SvcError(
    'no_emulator',
    `${address} is not an svc emulator, or runs another version of svc: ${problem}.`,
  );
}

function parseJson(text: string, address: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notAnEmulator(address, 'the response is not JSON');
  }
}
