/** Files that are written whole or not at all. */
import { accessSync, constants, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { SvcError } from '../../errors.ts';

/**
 * Makes the folder of a file that will be written later, so that what stands in the way comes to light before the work
 * is done.
 * @throws SvcError `usage` when it cannot be written there.
 */
export function assertWritable(path: string): void {
  withWriteError(path, () => {
    mkdirSync(dirname(path), { recursive: true });
    accessSync(dirname(path), constants.W_OK);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new Error('it is a folder');
  });
}

/** @throws SvcError `usage` when it cannot be written; the file is then as it was. */
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
    throw new SvcError('usage', `The file ${path} cannot be written: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}
