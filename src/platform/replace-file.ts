import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** Mode of a file that only its owner can read. */
export const PRIVATE_FILE = 0o600;

/** Writes a file that appears complete, because other processes can read it at any time. @param mode default: that of new files */
export function replaceFile(path: string, content: Buffer | string, mode?: number): void {
  const temporary = `${path}.${Math.random().toString(16).slice(2)}`;
  try {
    writeFileSync(temporary, content, { mode, flag: 'wx', flush: true });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
