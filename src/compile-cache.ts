/** Lets Node.js keep the code that V8 compiles, because reading it is faster than compiling it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listCacheFolders, openPrivateFolder, removeOldFiles } from './cache-folder.ts';
import { VERSION } from './package-info.ts';

/** The folder of a version. */
const VERSION_FOLDER = /^code-/;

/**
 * Uses the first folder that only this user and root can change. Without one, nothing is cached.
 * @param enable `enableCompileCache` of Node.js, which versions before 22.8 do not have
 */
export function enableCompileCache(
  enable: ((folder: string) => unknown) | undefined,
  folders: readonly string[] = listCompileCacheFolders(),
): void {
  if (enable === undefined) return;
  for (const parent of folders) {
    try {
      const folder = join(parent, `code-${VERSION}`);
      const isNew = !existsSync(folder);
      enable(openPrivateFolder(folder));
      // Not at each start, because it takes 0.7 ms.
      if (isNew) removeOldFiles(parent, VERSION_FOLDER, folder);
      return;
    } catch {
      // For example, the disk is full. The next folder can be on another one.
    }
  }
}

/** Empty if the user has set the variables with which Node.js selects a folder itself, or turns its cache off. */
export function listCompileCacheFolders(
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
): string[] {
  if (env.NODE_COMPILE_CACHE || env.NODE_DISABLE_COMPILE_CACHE) return [];
  const folders = listCacheFolders(platform, env);
  // Windows does not say who can write to a folder, and the last one is among the temporary files.
  return platform === 'win32' ? folders.slice(0, -1) : folders;
}
