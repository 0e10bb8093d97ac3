import { renameSync, rmSync, writeFileSync } from 'node:fs';

const PRIVATE_FILE = 0o600;

/** Writes a file that only its owner can read. Other processes can read it at any time, so it appears complete. */
export function writePrivateFile(path: string, content: Buffer | string): void {
  const temporary = `${path}.${Math.random().toString(16).slice(2)}`;
  try {
    writeFileSync(temporary, content, { mode: PRIVATE_FILE, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
