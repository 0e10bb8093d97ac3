/** Finds the private cache folder of svc. */
import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

const PRIVATE_FOLDER = 0o700;
/** Bits of the mode with which a group or everyone can write. */
const WRITABLE_BY_OTHERS = 0o022;
const ROOT = 0;

/** The folder in the user's cache; null for a user without a home folder, such as the user of a system service. */
export function findCacheFolder(
  platform: NodeJS.Platform = process.platform,
  { HOME, LOCALAPPDATA, XDG_CACHE_HOME }: NodeJS.ProcessEnv = process.env,
): string | null {
  const inHome = HOME && join(HOME, platform === 'darwin' ? 'Library/Caches' : '.cache');
  const folders = [XDG_CACHE_HOME, platform === 'win32' ? LOCALAPPDATA : inHome];
  const cache = folders.find((folder) => folder !== undefined && isAbsolute(folder));
  return cache === undefined ? null : join(cache, 'svc-emulator');
}

/**
 * Creates a folder that only this user can use, unless it exists.
 * @throws Error if it is a link, or belongs to another user, or others can write to it. Root may own it. Windows does not provide
 *   this information.
 */
export function openPrivateFolder(folder: string): void {
  const user = process.geteuid?.();
  // With sudo, the home folder can be that of another user, who could not use a new folder of root.
  const existing = findExisting(folder);
  const { uid } = lstatSync(existing);
  if (user !== undefined && uid !== user && uid !== ROOT) {
    throw new Error(`${existing} belongs to user ${uid}, but svc runs as user ${user}`);
  }
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const stat = lstatSync(folder);
  if (!stat.isDirectory()) throw new Error('it is not a folder');
  if (user !== undefined && stat.mode & WRITABLE_BY_OTHERS) {
    throw new Error(`other users can write to it (mode ${(stat.mode & 0o7777).toString(8)})`);
  }
}

/** The folder, or the nearest one above it that exists. */
function findExisting(folder: string): string {
  return existsSync(folder) || folder === dirname(folder) ? folder : findExisting(dirname(folder));
}
