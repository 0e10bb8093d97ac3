import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listCacheFolders, unpackAddon } from '../../src/store/addon-cache.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const addon = { name: 'driver-a1b2.node', bytes: Buffer.from('native code') };
const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;

/** A folder for the cache that does not exist yet, and one to use if it is not safe. */
function createFolders() {
  const parent = createTemporaryFolder();
  return { cache: join(parent, 'cache'), fallback: join(parent, 'fallback') };
}

describe('unpackAddon', () => {
  it('the addon is written once, to a folder and a file that only the user can use', () => {
    const { cache } = createFolders();
    const path = unpackAddon(addon, [cache]);
    const { mtimeNs, ino } = statSync(path, { bigint: true });
    expect(path).toBe(join(cache, addon.name));
    expect(readFileSync(path)).toEqual(addon.bytes);
    expect([statSync(cache).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(unpackAddon(addon, [cache])).toBe(path);
    expect(statSync(path, { bigint: true })).toMatchObject({ mtimeNs, ino });
    expect(readdirSync(cache)).toEqual([addon.name]);
  });

  it.each([
    ['was changed', (path: string) => writeFileSync(path, 'other code!')],
    ['is incomplete', (path: string) => writeFileSync(path, 'native')],
    [
      'is a link to a file with the same content',
      (path: string) => {
        writeFileSync(`${path}.target`, addon.bytes);
        symlinkSync(`${path}.target`, path);
      },
    ],
  ])('the addon is replaced when its file %s', (_, create) => {
    const { cache } = createFolders();
    mkdirSync(cache, { mode: 0o700 });
    const path = join(cache, addon.name);
    create(path);
    const { ino } = statSync(path);
    expect(unpackAddon(addon, [cache])).toBe(path);
    expect(readFileSync(path)).toEqual(addon.bytes);
    // A new file: a process that still uses the old one is not affected.
    expect(statSync(path).ino).not.toBe(ino);
  });

  it.each<[string, (path: string) => void]>([
    ['is a link', (path: string) => symlinkSync(createTemporaryFolder(), path)],
    ['is a file', (path: string) => writeFileSync(path, '')],
    [
      'can be used by others',
      (path: string) => {
        mkdirSync(path);
        chmodSync(path, 0o770);
      },
    ],
  ])('the next folder is used when the first one %s', (_, create) => {
    const { cache, fallback } = createFolders();
    create(cache);
    expect(unpackAddon(addon, [cache, fallback])).toBe(join(fallback, addon.name));
  });

  it.runIf(isRoot)('the next folder is used when the first one belongs to another user', () => {
    const { cache, fallback } = createFolders();
    mkdirSync(cache, { mode: 0o700 });
    chownSync(cache, NOBODY, NOBODY);
    expect(unpackAddon(addon, [cache, fallback])).toBe(join(fallback, addon.name));
  });

  it('the error names the problem of each folder when none can be used, and no file is left behind', () => {
    const { cache, fallback } = createFolders();
    writeFileSync(cache, '');
    mkdirSync(join(fallback, addon.name), { recursive: true });
    chmodSync(fallback, 0o700);
    expect(() => unpackAddon(addon, [cache, fallback])).toThrow(
      expect.objectContaining({
        code: 'sqlite_unavailable',
        message: expect.stringMatching(/cache: it already exists; .*fallback: it is a folder\.$/),
        hint: expect.stringContaining('XDG_CACHE_HOME'),
      }),
    );
    expect(readdirSync(fallback)).toEqual([addon.name]);
  });
});

describe('listCacheFolders', () => {
  const [last] = listCacheFolders('linux', {}).slice(-1);

  it.each([
    ['linux', { HOME: '/home/ada' }, '/home/ada/.cache/svc-emulator'],
    ['darwin', { HOME: '/Users/ada' }, '/Users/ada/Library/Caches/svc-emulator'],
    ['win32', { HOME: '/home/ada', LOCALAPPDATA: '/local' }, '/local/svc-emulator'],
    ['linux', { HOME: '/home/ada', XDG_CACHE_HOME: '/caches' }, '/caches/svc-emulator'],
    ['linux', { HOME: '/home/ada', XDG_CACHE_HOME: 'relative' }, '/home/ada/.cache/svc-emulator'],
  ] as const)('on %s with %o, the first cache folder is %s', (platform, env, folder) => {
    expect(listCacheFolders(platform, env)).toEqual([folder, last]);
  });

  it('without a home folder, the cache folder is among the temporary files and named after the user', () => {
    expect(listCacheFolders('linux', { HOME: '' })).toEqual([last]);
    expect(last).toBe(join(tmpdir(), `svc-emulator-${process.geteuid?.() ?? 'cache'}`));
  });
});
