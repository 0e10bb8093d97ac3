import { SvcError } from '../errors.ts';

/** What went wrong and what to do next, in one line for people. */
export function toErrorMessage(error: unknown): string {
  if (!(error instanceof SvcError)) return String(error);
  return error.code === 'no_emulator' ? 'The emulator does not answer. Is it still running?' : error.message;
}
