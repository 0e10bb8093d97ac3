/** Manages the private cache folder of svc. */
import { existsSync, lstatSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { createFolder } from './create-folder.ts';
import { DAY_MS } from './domain/duration.ts';

/** Permissions of the owner only. */
const PRIVATE_FOLDER = 0o700;
/** Bits of the mode with which a group or everyone can write. */
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
/** The user who owns the files of an image or a package. */
const ROOT = 0;

/** Files of other versions are kept until they are this much older than a new file. */
const KEEP_OLD_FILES_MS = 30 * DAY_MS;

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

/**
 * Creates a folder that only this user can read and change, unless it exists.
 * @returns its real path
 * @throws Error if another user except root can change it or a folder above it. Windows does not provide this information.
 */
export function openPrivateFolder(folder: string): string {
  // With sudo, the home folder can be that of another user, who could not use a new folder of root.
  assertUnchangeable(findExisting(folder), true);
  createFolder(folder, PRIVATE_FOLDER);
  if (!lstatSync(folder).isDirectory()) throw new Error('it is not a folder');
  const path = realpathSync(folder);
  assertUnchangeable(path, false);
  return path;
}

/** The real path of a folder, or of the closest one above it that exists. */
function findExisting(folder: string): string {
  return existsSync(folder) || folder === dirname(folder)
    ? realpathSync(folder)
    : findExisting(dirname(folder));
}

function assertUnchangeable(path: string, isParent: boolean): void {
  const user = process.geteuid?.();
  if (user === undefined) return;
  const { uid, mode } = lstatSync(path);
  if (uid !== user && uid !== ROOT) {
    throw new Error(`${path} belongs to user ${uid}, but svc runs as user ${user}`);
  }
  // In a sticky folder such as /tmp, other users can create files but not replace those of this user.
  if (mode & WRITABLE_BY_OTHERS && !(isParent && mode & STICKY)) {
    throw new Error(`other users can write to ${path} (mode ${(mode & 0o7777).toString(8)})`);
  }
  if (path !== dirname(path)) assertUnchangeable(dirname(path), true);
}

/**
 * Deletes files and folders of other versions, because nothing else does. A version that is still in use creates its own again.
 * @param pattern of the names that can be deleted
 * @param newPath a file or folder that was just written
 */
export function removeOldFiles(folder: string, pattern: RegExp, newPath: string): void {
  const oldest = statSync(newPath).mtimeMs - KEEP_OLD_FILES_MS;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    try {
      if (pattern.test(name) && lstatSync(path).mtimeMs < oldest) rmSync(path, { recursive: true });
    } catch {
      // Another process has deleted it, or uses it on Windows. A later update deletes it.
    }
  }
}
