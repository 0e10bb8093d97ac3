import { chmodSync, chownSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCacheFolder, openPrivateFolder } from '../../src/platform/cache-folder.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;

it.each([
  ['linux', { HOME: '/home/ada' }, '/home/ada/.cache/svc-emulator'],
  ['darwin', { HOME: '/Users/ada' }, '/Users/ada/Library/Caches/svc-emulator'],
  ['win32', { HOME: '/home/ada', LOCALAPPDATA: '/local' }, '/local/svc-emulator'],
  ['linux', { HOME: '/home/ada', XDG_CACHE_HOME: '/caches' }, '/caches/svc-emulator'],
  ['linux', { HOME: '/home/ada', XDG_CACHE_HOME: 'relative' }, '/home/ada/.cache/svc-emulator'],
  ['linux', { HOME: '' }, null],
] as const)('on %s with %o, the cache folder is %s', (platform, env, folder) => {
  expect(findCacheFolder(platform, env)).toBe(folder);
});

// Windows has no modes.
describe.skipIf(process.platform === 'win32')('openPrivateFolder', () => {
  it('only this user can use a new folder, even below a sticky folder of all users such as /tmp', () => {
    const parent = createTemporaryFolder();
    chmodSync(parent, 0o1777);
    const folder = join(parent, 'cache/svc-emulator');
    openPrivateFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    openPrivateFolder(folder);
  });

  it.each([0o720, 0o702, 0o1777])('a folder with mode %o is refused [files.compile-cache]', (mode) => {
    const folder = createTemporaryFolder();
    chmodSync(folder, mode);
    expect(() => openPrivateFolder(folder)).toThrow(`other users can write to it (mode ${mode.toString(8)})`);
  });

  it('a link is refused [files.compile-cache]', () => {
    const folder = createTemporaryFolder();
    symlinkSync(folder, join(folder, 'link'));
    expect(() => openPrivateFolder(join(folder, 'link'))).toThrow('it is not a folder');
  });

  it.runIf(isRoot)(
    'a folder of another user is refused, and nothing is created in the home folder of one',
    () => {
      const home = createTemporaryFolder();
      chownSync(home, NOBODY, NOBODY);
      const message = `${home} belongs to user ${NOBODY}, but svc runs as user 0`;
      expect(() => openPrivateFolder(join(home, '.cache/svc-emulator'))).toThrow(message);
      expect(() => openPrivateFolder(home)).toThrow(message);
      expect(readdirSync(home)).toEqual([]);
    },
  );
});
