/**
 * Keeps the code that V8 compiles from the modules of the npm package, because reading it is quicker than compiling it. Node.js has
 * such a cache from version 22.8 on. This one works with Node.js 20 too, and contains the functions that the first command called.
 */
import { accessSync, constants, readFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { cachedDataVersionTag } from 'node:v8';
import type { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { ensurePrivateFolder, listCacheFolders, removeOldFiles } from '../cache-folder.ts';
import { writePrivateFile } from '../write-private-file.ts';

/** The folder of a version. */
const VERSION_FOLDER = /^code-/;
/** V8 checks only the length of the data and of the source, and damaged data crashes the process. */
const CHECKSUM_BYTES = 4;

export interface CodeCache {
  /** The code of a module; null to compile it. */
  find(path: string, source: string): Buffer | null;
  /** Remembers a module whose code is missing or was rejected. {@link CodeCache.write} writes it. */
  add(path: string, source: string, script: Script): void;
  /** Writes the code of the modules that were added. Ignores errors, because svc works without the cache. */
  write(): void;
}

/**
 * Uses the first folder that is private and in which this user can write.
 * @param version of svc
 * @returns null if there is no such folder
 */
export function openCodeCache(version: string, folders: readonly string[]): CodeCache | null {
  const parent = folders.find(isUsable);
  if (parent === undefined) return null;
  // The tag depends on the version of V8, its flags and the processor.
  const folder = join(parent, `code-${version}-${process.arch}-${cachedDataVersionTag()}`);
  const added = new Map<string, { source: string; script: Script }>();
  // The names of chunks contain a hash, so they differ between folders too.
  const toFile = (path: string) => join(folder, posix.basename(path));
  return {
    find(path, source) {
      try {
        const file = readFileSync(toFile(path));
        const code = file.subarray(CHECKSUM_BYTES);
        return file.readUInt32LE() === computeChecksum(source, code) ? code : null;
      } catch {
        return null;
      }
    },
    add(path, source, script) {
      added.set(path, { source, script });
    },
    write() {
      // For example, the disk is full.
      if (added.size === 0 || !succeeds(() => ensurePrivateFolder(folder))) return;
      for (const [path, { source, script }] of added) {
        const code = script.createCachedData();
        const checksum = Buffer.alloc(CHECKSUM_BYTES);
        checksum.writeUInt32LE(computeChecksum(source, code));
        // For example, another process reads the file on Windows.
        succeeds(() => writePrivateFile(toFile(path), Buffer.concat([checksum, code])));
      }
      succeeds(() => removeOldFiles(parent, VERSION_FOLDER, folder));
    },
  };
}

function computeChecksum(source: string, code: Buffer): number {
  return crc32(code, crc32(source));
}

function isUsable(folder: string): boolean {
  return succeeds(() => {
    ensurePrivateFolder(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  });
}

function succeeds(action: () => void): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}

/** Empty if `NODE_DISABLE_COMPILE_CACHE` is set. `NODE_COMPILE_CACHE` comes first. */
export function listCodeCacheFolders(
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
): string[] {
  if (env.NODE_DISABLE_COMPILE_CACHE) return [];
  const own = env.NODE_COMPILE_CACHE ? [join(resolve(env.NODE_COMPILE_CACHE), 'svc-emulator')] : [];
  const folders = listCacheFolders(platform, env);
  // Windows does not say who can write to a folder, and the last one is among the temporary files.
  return [...own, ...(platform === 'win32' ? folders.slice(0, -1) : folders)];
}
