/** Finds the private cache folder of svc. */
import { existsSync, lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { createFolder } from './create-folder.ts';

const PRIVATE_FOLDER = 0o700;
/** Bits of the mode with which a group or everyone can write. */
const WRITABLE_BY_OTHERS = 0o022;
const ROOT = 0;

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder in the user's cache; null for a user without a home folder, such as the user of a system service. */
export function findCacheFolder(
  platform: NodeJS.Platform = process.platform,
  env: Environment = process.env,
): string | null {
  const home = env.HOME ?? findHomeFolder();
  const systemCache = {
    darwin: home && join(home, 'Library/Caches'),
    win32: env.LOCALAPPDATA,
  }[platform as string];
  const caches = [env.XDG_CACHE_HOME, systemCache ?? (home && join(home, '.cache'))];
  const cache = caches.find((folder) => folder !== undefined && isAbsolute(folder));
  return cache === undefined ? null : join(cache, 'svc-emulator');
}

function findHomeFolder(): string | undefined {
  try {
    return homedir();
  } catch {
    // A container can run as a user that does not exist.
    return undefined;
  }
}

/**
 * Creates a folder that only this user can use, unless it exists.
 * @throws Error if it is a link, or belongs to another user, or others can write to it. Root may own it. Windows does not provide
 *   this information.
 */
export function openPrivateFolder(folder: string): void {
  // With sudo, the home folder can be that of another user, who could not use a new folder of root.
  assertOwner(findExisting(folder));
  createFolder(folder, PRIVATE_FOLDER);
  const stat = lstatSync(folder);
  if (!stat.isDirectory()) throw new Error('it is not a folder');
  if (process.geteuid !== undefined && stat.mode & WRITABLE_BY_OTHERS) {
    throw new Error(`other users can write to it (mode ${(stat.mode & 0o7777).toString(8)})`);
  }
}

/** The folder, or the nearest one above it that exists. */
function findExisting(folder: string): string {
  return existsSync(folder) || folder === dirname(folder) ? folder : findExisting(dirname(folder));
}

function assertOwner(folder: string): void {
  const user = process.geteuid?.();
  const { uid } = lstatSync(folder);
  if (user === undefined || uid === user || uid === ROOT) return;
  throw new Error(`${folder} belongs to user ${uid}, but svc runs as user ${user}`);
}
