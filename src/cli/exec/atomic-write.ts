/** Writes files completely or not at all. */
import { accessSync, constants, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createWriteError } from '../write-error.ts';

/**
 * Creates the folder of a file that will be written later, so that problems are reported before the work starts.
 * @throws SvcError `usage` when the file cannot be written.
 */
export function assertWritable(path: string): void {
  withWriteError(path, () => {
    mkdirSync(dirname(path), { recursive: true });
    accessSync(dirname(path), constants.W_OK);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new Error('it is a folder');
  });
}

/** @throws SvcError `usage` when it cannot be written; the file is unchanged then. */
export function writeFileAtomically(path: string, text: string): void {
  const unfinished = `${path}.${process.pid}.part`;
  withWriteError(path, () => {
    try {
      writeFileSync(unfinished, text, { flush: true });
      renameSync(unfinished, path);
    } catch (error) {
      rmSync(unfinished, { force: true });
      throw error;
    }
  });
}

function withWriteError(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw createWriteError(path, error, 'Choose a writable file with --junit.');
  }
}
