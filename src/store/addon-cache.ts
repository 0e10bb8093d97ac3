/**
 * Unpacks the native addon of the single executable, because operating systems load native code only from files. The file is in
 * a folder in which no other user can write, and its content is compared before each use.
 */
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listCacheFolders, openPrivateFolder, removeOldFiles } from '../cache-folder.ts';
import { describeFileError } from '../domain/message-parts.ts';
import { SvcError } from '../errors.ts';
import { writePrivateFile } from '../write-private-file.ts';

export interface Addon {
  /** A file name that contains the hash of the content. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** An addon, or the temporary file of a process that was killed while it wrote one. */
const ADDON_FILE = /\.node(?:\.[\da-f-]+)?$/;

/**
 * @param folders the first one that this user can use and no other user can write to is used
 * @returns the path of a file with the content of the addon
 * @throws SvcError `sqlite_unavailable` that names the problem of each folder
 */
export function unpackAddon(addon: Addon, folders: readonly string[] = listCacheFolders()): string {
  const problems: string[] = [];
  for (const folder of folders) {
    try {
      return unpackInto(folder, addon);
    } catch (error) {
      problems.push(`${folder}: ${describeFileError(error)}`);
    }
  }
  throw new SvcError('sqlite_unavailable', `The SQLite driver cannot be unpacked. ${problems.join('; ')}.`, {
    hint: 'Set XDG_CACHE_HOME to a folder in which only you can write and that has free space.',
  });
}

function unpackInto(parent: string, { name, bytes }: Addon): string {
  const folder = openPrivateFolder(parent);
  const path = join(folder, name);
  if (isUnchanged(path, bytes)) return path;
  try {
    writePrivateFile(path, bytes);
  } catch (error) {
    // On Windows, a file cannot be replaced while a process uses it. Another process can have written it meanwhile.
    if (!isUnchanged(path, bytes)) throw error;
  }
  // A process that has loaded a deleted addon keeps it.
  removeOldFiles(folder, ADDON_FILE, path);
  return path;
}

function isUnchanged(path: string, bytes: Buffer): boolean {
  // Not a link: its target could change after the comparison.
  const isFile = lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  return isFile && readFileSync(path).equals(bytes);
}
