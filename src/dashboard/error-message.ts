import { SvcError } from '../errors.ts';

/** The error and what to do next, in one line. */
export function toErrorMessage(error: unknown): string {
  if (!(error instanceof SvcError)) return String(error);
  return error.code === 'no_emulator'
    ? 'The emulator does not respond. Check that it is running.'
    : error.message;
}
