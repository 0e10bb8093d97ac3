import { chmodSync, chownSync, mkdirSync, readdirSync, realpathSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listCacheFolders, openPrivateFolder } from '../src/cache-folder.ts';
import { createTemporaryFolder } from './support/temporary-folder.ts';

const createRealFolder = () => realpathSync(createTemporaryFolder());
const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;

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

// Windows has no modes.
describe.skipIf(process.platform === 'win32')('openPrivateFolder', () => {
  it('only this user can use a new folder, even below a sticky folder of all users such as /tmp', () => {
    const parent = createRealFolder();
    chmodSync(parent, 0o1777);
    const folder = join(parent, 'cache/svc-emulator');
    expect(openPrivateFolder(folder)).toBe(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it.each([0o720, 0o702, 0o1777])('a folder with mode %o is refused', (mode) => {
    const folder = createRealFolder();
    chmodSync(folder, mode);
    expect(() => openPrivateFolder(folder)).toThrow(
      `other users can write to ${folder} (mode ${mode.toString(8)})`,
    );
  });

  it('a folder below one that other users can write to is refused, and nothing is created there', () => {
    const parent = createRealFolder();
    const folder = join(parent, 'home/cache');
    chmodSync(parent, 0o777);
    expect(() => openPrivateFolder(folder)).toThrow(`other users can write to ${parent} (mode 777)`);
    expect(readdirSync(parent)).toEqual([]);
    mkdirSync(folder, { recursive: true });
    expect(() => openPrivateFolder(folder)).toThrow(`other users can write to ${parent} (mode 777)`);
  });

  it('a folder whose path has a link is checked at its real path, which is the result [files.compile-cache]', () => {
    const [links, target] = [createRealFolder(), createRealFolder()];
    symlinkSync(target, join(links, 'cache'));
    const folder = join(links, 'cache/svc-emulator');
    expect(openPrivateFolder(folder)).toBe(join(target, 'svc-emulator'));
    chmodSync(target, 0o777);
    expect(() => openPrivateFolder(folder)).toThrow(`other users can write to ${target} (mode 777)`);
  });

  it.runIf(isRoot)(
    'a folder in the home folder of another user is refused, and nothing is created there',
    () => {
      const home = createRealFolder();
      chownSync(home, NOBODY, NOBODY);
      expect(() => openPrivateFolder(join(home, '.cache/svc-emulator'))).toThrow(
        `${home} belongs to user ${NOBODY}, but svc runs as user 0`,
      );
      expect(readdirSync(home)).toEqual([]);
    },
  );
});
