/**
 * Keeps the code that V8 compiles from the modules of the npm package, because reading it is quicker than compiling it. Node.js has
 * such a cache from version 22.8 on. This one works with Node.js 20 too, and contains the functions that were called.
 */
import { readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import type { Script } from 'node:vm';
import { listCacheFolders, openCacheFolder, removeOldFiles, writeCacheFile } from '../cache-folder.ts';
import { createFolder } from '../create-folder.ts';

/** The folder of a version. */
const VERSION_FOLDER = /^code-/;

export interface CodeCache {
  /** The code of a module; null to compile it. */
  find(path: string): Buffer | null;
  /** Remembers a module whose code is missing or was rejected. Its code is written when the process ends. */
  add(path: string, script: Script): void;
  /** Writes the code of the modules that were added. Does nothing if that is not possible, because svc works without it. */
  write(): void;
}

/**
 * @param version changes with the modules, Node.js and the processor
 * @param folders the first one that this user can use and no other user can write to is used
 * @returns null if no folder can be used
 */
export function openCodeCache(version: string, folders: readonly string[]): CodeCache | null {
  const parent = folders.find(isUsable);
  if (parent === undefined) return null;
  const folder = join(parent, `code-${version}`);
  const scripts = new Map<string, Script>();
  const toFile = (path: string) => join(folder, posix.basename(path));
  return {
    find(path) {
      try {
        return readFileSync(toFile(path));
      } catch {
        return null;
      }
    },
    add(path, script) {
      scripts.set(path, script);
    },
    write() {
      if (scripts.size === 0) return;
      try {
        createFolder(folder, 0o700);
        for (const [path, script] of scripts) writeCacheFile(toFile(path), script.createCachedData());
        removeOldFiles(parent, VERSION_FOLDER, folder);
      } catch {
        // For example, the disk is full.
      }
    },
  };
}

function isUsable(folder: string): boolean {
  try {
    openCacheFolder(folder);
    return true;
  } catch {
    return false;
  }
}

/** The folders for the cache: none with the variable that turns off the compile cache of Node.js, and first the folder for that cache. */
export function listCodeCacheFolders(env: NodeJS.ProcessEnv): string[] {
  if (env.NODE_DISABLE_COMPILE_CACHE) return [];
  const folders = listCacheFolders(process.platform, env);
  return env.NODE_COMPILE_CACHE
    ? [join(resolve(env.NODE_COMPILE_CACHE), 'svc-emulator'), ...folders]
    : folders;
}
