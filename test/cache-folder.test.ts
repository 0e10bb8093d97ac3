import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listCacheFolders } from '../src/cache-folder.ts';

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
