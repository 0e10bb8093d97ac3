/** Errors as users of the library get them: each says in its message what to do next. */
import { formatHint, SvcError } from '../domain/errors.ts';

/**
 * Moves the hint of an error to its message. Jest prints nothing else, and Vitest and Node.js print the fields of an error too, so
 * that a hint in both places would appear twice.
 * @param isStarted leaves out the command, which cannot find the emulator of a test
 */
export function toLibraryError(error: unknown, isStarted = true): unknown {
  if (!(error instanceof SvcError) || error.hint === undefined) return error;
  const { code, message, hint, headers, cause } = error;
  const text = isStarted && hint.command !== undefined ? `${hint.text}.` : formatHint(hint);
  return new SvcError(code, `${message} ${text}`, { headers, cause });
}

/** Calls a part of svc that the command line uses too. */
export async function withLibraryErrors<Result>(
  call: () => Result | Promise<Result>,
  isStarted = true,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw toLibraryError(error, isStarted);
  }
}
