/**
 * Unpacks the native addon of the single executable, because operating systems load native code only from files. The file is in
 * a folder in which no other user can write.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../domain/errors.ts';
import { describeFileError } from '../domain/message-parts.ts';
import { findCacheFolder, openPrivateFolder } from '../platform/cache-folder.ts';
import { PRIVATE_FILE, replaceFile } from '../platform/replace-file.ts';

export interface Addon {
  /** A file name that contains the hash of the content. */
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * @param folder a folder that this user can use and no other user can write to
 * @returns the path of a file with the content of the addon
 * @throws SvcError `sqlite_unavailable`
 */
export function unpackAddon({ name, bytes }: Addon, folder = findCacheFolder()): string {
  try {
    if (folder === null) throw new Error('this user has no cache folder');
    openPrivateFolder(folder);
    const path = join(folder, name);
    if (!existsSync(path)) writeFile(path, bytes);
    return path;
  } catch (error) {
    const message = `The SQLite driver cannot be unpacked${folder === null ? '' : ` into ${folder}`}: ${describeFileError(error)}.`;
    throw new SvcError('sqlite_unavailable', message, {
      hint: 'Set XDG_CACHE_HOME to a folder in which only you can write and that has free space.',
      cause: error,
    });
  }
}

function writeFile(path: string, bytes: Buffer): void {
  try {
    replaceFile(path, bytes, PRIVATE_FILE);
  } catch (error) {
    // On Windows, a file cannot be replaced while a process uses it. Another process can have written it meanwhile.
    if (!existsSync(path)) throw error;
  }
}
