/** Reads files up to a size limit. */
import { readFileSync, statSync } from 'node:fs';

/** Size limit of a file that is read as a whole, unless its reader has another one. docs/security.md states it. */
export const FILE_LIMIT_BYTES = 16 * 2 ** 20;

/** A clause for the message of an error, as those of `describeFileError`. */
export function describeTooLarge(sizeLimit: number): string {
  return `it is larger than ${sizeLimit / 2 ** 20} MB`;
}

/** @throws an error of the file system, or one with the clause {@link describeTooLarge} */
export function readLimitedFile(path: string, sizeLimit = FILE_LIMIT_BYTES): Buffer {
  if (statSync(path).size > sizeLimit) throw new Error(describeTooLarge(sizeLimit));
  return readFileSync(path);
}
