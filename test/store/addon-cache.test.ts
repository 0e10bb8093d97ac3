import fs, {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { unpackAddon } from '../../src/store/addon-cache.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const addon = { name: 'driver-a1b2.node', bytes: Buffer.from('native code') };
const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;

/** Replaces the function that writes the addon, for its next call. */
function replaceNextWrite(write: typeof fs.writeFileSync): void {
  vi.spyOn(fs, 'writeFileSync').mockImplementationOnce(write);
  syncBuiltinESMExports();
}

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

/** A folder for the cache that does not exist yet. */
function createCachePath(): string {
  return join(createTemporaryFolder(), 'cache');
}

describe('unpackAddon', () => {
  it('the addon is written once, to a folder and a file that only the user can use', () => {
    const cache = createCachePath();
    const path = unpackAddon(addon, cache);
    const { mtimeNs, ino } = statSync(path, { bigint: true });
    expect(path).toBe(join(cache, addon.name));
    expect(readFileSync(path)).toEqual(addon.bytes);
    expect([statSync(cache).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(unpackAddon(addon, cache)).toBe(path);
    expect(statSync(path, { bigint: true })).toMatchObject({ mtimeNs, ino });
    expect(readdirSync(cache)).toEqual([addon.name]);
  });

  it.each<[string, (path: string) => void]>([
    ['is a link', (path: string) => symlinkSync(createTemporaryFolder(), path)],
    ['is a file', (path: string) => writeFileSync(path, '')],
    [
      'is writable by others',
      (path: string) => {
        mkdirSync(path);
        chmodSync(path, 0o720);
      },
    ],
  ])('a folder is refused when it %s [files.addon]', (_, create) => {
    const cache = createCachePath();
    create(cache);
    expect(() => unpackAddon(addon, cache)).toThrow(
      expect.objectContaining({
        code: 'sqlite_unavailable',
        message: expect.stringContaining(`The SQLite driver cannot be unpacked into ${cache}: `),
        hint: { text: expect.stringContaining('XDG_CACHE_HOME') },
      }),
    );
  });

  it.runIf(isRoot)('a folder is refused when it belongs to another user [files.addon]', () => {
    const cache = createCachePath();
    mkdirSync(cache, { mode: 0o700 });
    chownSync(cache, NOBODY, NOBODY);
    expect(() => unpackAddon(addon, cache)).toThrow(`belongs to user ${NOBODY}`);
  });

  it('a user without a cache folder gets an error that names the variable', () => {
    expect(() => unpackAddon(addon, null)).toThrow(
      expect.objectContaining({
        message: 'The SQLite driver cannot be unpacked: this user has no cache folder.',
        hint: { text: expect.stringContaining('XDG_CACHE_HOME') },
      }),
    );
  });

  it('a folder that others can read but not write is used without a change, as in an image', () => {
    const cache = createCachePath();
    mkdirSync(cache);
    const path = join(cache, addon.name);
    writeFileSync(path, addon.bytes);
    chmodSync(path, 0o644);
    chmodSync(cache, 0o755);
    expect(unpackAddon(addon, cache)).toBe(path);
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });

  it.runIf(isRoot)('a folder of root is used by another user [files.addon]', () => {
    const cache = createCachePath();
    unpackAddon(addon, cache);
    vi.spyOn(process, 'geteuid').mockReturnValue(NOBODY);
    expect(unpackAddon(addon, cache)).toBe(join(cache, addon.name));
  });

  it('a full disk is an error and leaves no part of the file, and the next call succeeds', () => {
    const cache = createCachePath();
    replaceNextWrite(writeHalf);
    expect(() => unpackAddon(addon, cache)).toThrow(
      expect.objectContaining({
        code: 'sqlite_unavailable',
        message: `The SQLite driver cannot be unpacked into ${cache}: the disk is full.`,
        hint: { text: expect.stringContaining('free space') },
      }),
    );
    expect(readdirSync(cache)).toEqual([]);
    expect(readFileSync(unpackAddon(addon, cache))).toEqual(addon.bytes);
  });

  it('two processes that unpack at the same time get the same complete file', () => {
    const cache = createCachePath();
    let otherPath = '';
    replaceNextWrite((path, bytes, options) => {
      // The first process has looked for the file and is writing it when the second one starts.
      writeFileSync(path, bytes, options);
      otherPath = unpackAddon(addon, cache);
    });
    const path = unpackAddon(addon, cache);
    expect(otherPath).toBe(path);
    expect(readFileSync(path)).toEqual(addon.bytes);
    expect(readdirSync(cache)).toEqual([addon.name]);
  });
});

/** Writes like a disk that becomes full. */
function writeHalf(...[path, bytes, options]: Parameters<typeof writeFileSync>): never {
  writeFileSync(path, (bytes as Buffer).subarray(0, 4), options);
  throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
}
