/** Errors as users of the library get them: each says in its message what to do next. */
import { SvcError } from '../errors.ts';

/**
 * Moves the hint of an error to its message. Jest prints nothing else, and Vitest and Node.js print the fields of an error too, so
 * that a hint in both places would appear twice. Leaves out the command: it cannot find the emulator of a test, which may have ended.
 */
export function toLibraryError(error: unknown): unknown {
  if (!(error instanceof SvcError) || error.hint === undefined) return error;
  const { code, message, hint, headers, cause } = error;
  const text = hint.command === undefined ? hint.text : `${hint.text}.`;
  return new SvcError(code, `${message} ${text}`, { headers, cause });
}

/** Calls a part of svc that the command line uses too. */
export async function withLibraryErrors<Result>(call: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw toLibraryError(error);
  }
}
