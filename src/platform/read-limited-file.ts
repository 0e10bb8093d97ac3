/** Reads files up to a size limit. */
import { readFileSync, statSync } from 'node:fs';

/** Size limit of a file that is read as a whole, unless its reader has another one. docs/security.md states it. */
export const FILE_LIMIT_BYTES = 16 * 2 ** 20;

/** The message is a clause for the message of an error, as those of `describeFileError`. */
export class TooLargeError extends Error {
  readonly hint = 'Use a smaller file.';

  constructor(limitBytes: number) {
    super(`it is larger than ${limitBytes / 2 ** 20} MB`);
  }
}

/** @throws TooLargeError; an error of the file system */
export function readLimitedFile(path: string, limitBytes = FILE_LIMIT_BYTES): Buffer {
  if (statSync(path).size > limitBytes) throw new TooLargeError(limitBytes);
  return readFileSync(path);
}
