/** Reads files so that neither a FIFO, nor a device, nor a huge file can hold up the process. */
import { closeSync, constants, openSync, readFileSync, statSync } from 'node:fs';

/** Size limit of a file that is read as a whole, unless its reader has another one. docs/security.md states it. */
export const FILE_LIMIT_BYTES = 16 * 2 ** 20;

/** The message is a clause for the message of an error, as those of `describeFileError`. */
export class RefusedFileError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/**
 * Refuses a path without opening it, because opening a FIFO waits for its other end, and no signal can interrupt that.
 * @returns the size of the file in bytes
 * @throws RefusedFileError if it is not a regular file; an error of the file system
 */
export function assertRegularFile(path: string): number {
  const stat = statSync(path);
  if (stat.isDirectory()) throw new RefusedFileError('it is a folder', 'Use the path of a file.');
  if (stat.isFile()) return stat.size;
  throw new RefusedFileError(
    'it is not a regular file',
    'Save its content in a file first, or send it to standard input if - is accepted there.',
  );
}

/**
 * @returns a file descriptor for reading
 * @throws RefusedFileError if it is not a regular file, or is larger than the limit; an error of the file system
 */
export function openRegularFile(path: string, limitBytes: number): number {
  if (assertRegularFile(path) > limitBytes) throw createTooLargeError(limitBytes);
  // If it was replaced meanwhile, opening it still does not wait. Windows has no such flag.
  return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
}

/** @throws as {@link openRegularFile} */
export function readRegularFile(path: string, limitBytes = FILE_LIMIT_BYTES): Buffer {
  const file = openRegularFile(path, limitBytes);
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

export function createTooLargeError(limitBytes: number): RefusedFileError {
  return new RefusedFileError(`it is larger than ${limitBytes / 2 ** 20} MB`, 'Use a smaller file.');
}
