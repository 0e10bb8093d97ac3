import { describeFileError } from '../domain/file-error.ts';
import { SvcError } from '../errors.ts';

/** The error for a file or folder that cannot be written. */
export function createWriteError(path: string, error: unknown, hint: string): SvcError {
  return new SvcError('usage', `Cannot write ${path}: ${describeFileError(error)}.`, { hint, cause: error });
}
