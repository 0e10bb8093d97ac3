import { SvcError } from '../errors.ts';

/** The message of an error for the user. */
export function toErrorMessage(error: unknown): string {
  if (!(error instanceof SvcError)) return String(error);
  return error.code === 'no_emulator'
    ? 'The emulator does not respond. Check that it is running.'
    : error.message;
}
