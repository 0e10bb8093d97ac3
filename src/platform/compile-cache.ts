/** Lets Node.js keep the code that V8 compiles, because reading it is faster than compiling it. */
import { join } from 'node:path';
import { findCacheFolder, openPrivateFolder } from './cache-folder.ts';

/**
 * Uses a folder in the user's cache, if no other user can change it. Otherwise nothing is cached.
 * @param enable `enableCompileCache` of Node.js, which versions before 22.8 do not have
 */
export function enableCompileCache(
  enable: ((folder: string) => unknown) | undefined,
  env: NodeJS.ProcessEnv = process.env,
): void {
  // With these variables, the user selects another folder, or turns the cache off.
  if (env.NODE_COMPILE_CACHE || env.NODE_DISABLE_COMPILE_CACHE) return;
  const parent = findCacheFolder(process.platform, env);
  if (enable === undefined || parent === null) return;
  const folder = join(parent, 'code');
  try {
    openPrivateFolder(folder);
  } catch {
    return;
  }
  enable(folder);
}
