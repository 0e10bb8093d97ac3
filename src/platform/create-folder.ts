import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its parents, unless it exists. Not with `recursive`, which never ends below `/proc`, where the system says
 * that an existing parent does not exist.
 * @param mode of each new folder
 * @throws an error of the file system
 */
export function createFolder(folder: string, mode = 0o777): void {
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    if (existsSync(folder) && statSync(folder).isDirectory()) return;
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || existsSync(parent)) throw error;
    createFolder(parent, mode);
    createFolder(folder, mode);
  }
}
