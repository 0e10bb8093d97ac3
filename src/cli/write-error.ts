/** The error for a file or folder that cannot be written. */
import { SvcError } from '../errors.ts';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the disk',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
};

/** Why a file operation failed, as a clause. */
export function describeWriteError(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return reasons[code] ?? message;
}

export function createWriteError(path: string, error: unknown, hint: string): SvcError {
  return new SvcError('usage', `Cannot write ${path}: ${describeWriteError(error)}.`, { hint, cause: error });
}
