import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { enableCompileCache } from '../../src/platform/compile-cache.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

/** The folders that Node.js gets. */
function listEnabled(env: Readonly<Record<string, string>>): string[] {
  const enabled: string[] = [];
  enableCompileCache((folder) => enabled.push(folder), env);
  return enabled;
}

it('Node.js gets a folder in the cache of the user', () => {
  const cache = createTemporaryFolder();
  expect(listEnabled({ XDG_CACHE_HOME: cache })).toEqual([join(cache, 'svc-emulator/code')]);
});

it.skipIf(process.platform === 'win32')(
  'nothing is cached in a folder in which others can write [files.compile-cache]',
  () => {
    const cache = createTemporaryFolder();
    const folder = join(cache, 'svc-emulator/code');
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o777);
    expect(listEnabled({ XDG_CACHE_HOME: cache })).toEqual([]);
  },
);

it.each([
  ['the user has no home folder', { HOME: '' }],
  ['the user has selected another folder', { NODE_COMPILE_CACHE: '1' }],
  ['the user has turned the cache off', { NODE_DISABLE_COMPILE_CACHE: '1' }],
])('nothing is cached if %s', (_, env) => {
  const cache = createTemporaryFolder();
  expect(listEnabled({ ...('HOME' in env ? {} : { XDG_CACHE_HOME: cache }), ...env })).toEqual([]);
  expect(readdirSync(cache)).toEqual([]);
});

it('a Node.js without a compile cache gets no folder', () => {
  const cache = createTemporaryFolder();
  enableCompileCache(undefined, { XDG_CACHE_HOME: cache });
  expect(readdirSync(cache)).toEqual([]);
});
