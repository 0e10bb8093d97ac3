/**
 * Unpacks the native addon of the single executable, because operating systems load native code only from files. The file is in
 * a folder in which no other user can write, and its content is compared before each use.
 */
import { randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { createFolder } from '../create-folder.ts';
import { DAY_MS } from '../domain/duration.ts';
import { describeFileError } from '../domain/message-parts.ts';
import { SvcError } from '../errors.ts';

export interface Addon {
  /** A file name that contains the hash of the content. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** Permissions of the owner only. */
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
/** Bits of the mode with which a group or everyone can write. */
const WRITABLE_BY_OTHERS = 0o022;
/** The user who owns the files of an image or a package. */
const ROOT = 0;

/** An addon, or the temporary file of a process that was killed while it wrote one. */
const ADDON_FILE = /\.node(?:\.[\da-f-]+)?$/;
/** Addons of other versions of svc are deleted when they are older than the new one by this time. */
const KEEP_ADDONS_MS = 30 * DAY_MS;

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

/**
 * The folder in the user's cache, then one among the temporary files for a user without a home folder, such as the user of a
 * system service.
 */
export function listCacheFolders(
  platform: NodeJS.Platform = process.platform,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string[] {
  const home = findHomeFolder(env);
  const systemCache = {
    darwin: home && join(home, 'Library/Caches'),
    win32: env.LOCALAPPDATA,
  }[platform as string];
  const caches = [env.XDG_CACHE_HOME, systemCache ?? (home && join(home, '.cache'))];
  const cache = caches.find((folder) => folder !== undefined && isAbsolute(folder));
  const temporary = join(tmpdir(), `svc-emulator-${process.geteuid?.() ?? 'cache'}`);
  return cache === undefined ? [temporary] : [join(cache, 'svc-emulator'), temporary];
}

function findHomeFolder(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env.HOME !== undefined) return env.HOME;
  try {
    return homedir();
  } catch {
    // A container can run as a user that does not exist.
    return undefined;
  }
}

function unpackInto(folder: string, { name, bytes }: Addon): string {
  createFolder(folder, PRIVATE_FOLDER);
  assertProtected(folder);
  const path = join(folder, name);
  if (isUnchanged(path, bytes)) return path;
  // Another process can read the file at any time, so it appears complete.
  const temporary = `${path}.${randomUUID()}`;
  try {
    writeFileSync(temporary, bytes, { mode: PRIVATE_FILE, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    // On Windows, a file cannot be replaced while a process uses it. Another process can have written it meanwhile.
    if (!isUnchanged(path, bytes)) throw error;
  }
  removeOldAddons(folder, path);
  return path;
}

/**
 * An update of svc writes a new file, and nothing else removes the old one. A version that is still in use unpacks its addon
 * again, and a process that has loaded a deleted file keeps it.
 */
function removeOldAddons(folder: string, newPath: string): void {
  const oldest = statSync(newPath).mtimeMs - KEEP_ADDONS_MS;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    try {
      if (ADDON_FILE.test(name) && lstatSync(path).mtimeMs < oldest) rmSync(path);
    } catch {
      // Another process has deleted it, or uses it on Windows. A later update deletes it.
    }
  }
}

/** @throws Error if another user could replace files in the folder. Windows has no modes; its cache folder is private. */
function assertProtected(folder: string): void {
  const stats = lstatSync(folder);
  if (!stats.isDirectory()) throw new Error('it is not a folder');
  const user = process.geteuid?.();
  if (user === undefined) return;
  if (stats.uid !== user && stats.uid !== ROOT) {
    throw new Error(`it belongs to user ${stats.uid}, but svc runs as user ${user}`);
  }
  if (stats.mode & WRITABLE_BY_OTHERS) {
    throw new Error(`other users can write to it (mode ${(stats.mode & 0o777).toString(8)})`);
  }
}

function isUnchanged(path: string, bytes: Buffer): boolean {
  // Not a link: its target could change after the comparison.
  const isFile = lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  return isFile && readFileSync(path).equals(bytes);
}
