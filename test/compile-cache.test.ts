import { chmodSync, mkdirSync, readdirSync, realpathSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { enableCompileCache, listCompileCacheFolders } from '../src/compile-cache.ts';
import { VERSION } from '../src/package-info.ts';
import { createTemporaryFolder } from './support/temporary-folder.ts';

const DAY_MS = 86_400_000;
const FOLDER = `code-${VERSION}`;

const createRealFolder = () => realpathSync(createTemporaryFolder());

/** The folders that Node.js gets. */
function listEnabled(folders: readonly string[]): string[] {
  const enabled: string[] = [];
  enableCompileCache((folder) => enabled.push(folder), folders);
  return enabled;
}

function createOldFolder(path: string, days: number): void {
  mkdirSync(path);
  const time = new Date(Date.now() - days * DAY_MS);
  utimesSync(path, time, time);
}

describe('enableCompileCache', () => {
  it('Node.js gets a folder of this version in the first folder', () => {
    const [first, second] = [createRealFolder(), createRealFolder()];
    expect(listEnabled([first, second])).toEqual([join(first, FOLDER)]);
    expect([readdirSync(first), readdirSync(second)]).toEqual([[FOLDER], []]);
  });

  it.skipIf(process.platform === 'win32')(
    'a folder in or above which others can write is not used [files.compile-cache]',
    () => {
      const [shared, own] = [createRealFolder(), createRealFolder()];
      chmodSync(shared, 0o777);
      expect(listEnabled([shared, join(shared, 'below'), own])).toEqual([join(own, FOLDER)]);
      expect([listEnabled([shared]), readdirSync(shared)]).toEqual([[], []]);
    },
  );

  it('a path that is a file is not used', () => {
    const [parent, own] = [createRealFolder(), createRealFolder()];
    writeFileSync(join(parent, 'file'), '');
    expect(listEnabled([join(parent, 'file'), own])).toEqual([join(own, FOLDER)]);
  });

  it('a Node.js without a compile cache gets no folder', () => {
    const folder = createRealFolder();
    enableCompileCache(undefined, [folder]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('the first start of a version deletes the folders of versions that are older than 30 days, and nothing else', () => {
    const folder = createRealFolder();
    for (const [name, days] of Object.entries({ 'code-old': 31, 'code-recent': 29, other: 31 })) {
      createOldFolder(join(folder, name), days);
    }
    listEnabled([folder]);
    expect(readdirSync(folder).sort()).toEqual([FOLDER, 'code-recent', 'other']);
    createOldFolder(join(folder, 'code-old'), 31);
    listEnabled([folder]);
    expect(readdirSync(folder)).toContain('code-old');
  });
});

describe('listCompileCacheFolders', () => {
  const env = { HOME: '/home/ada', XDG_CACHE_HOME: '/caches' };

  it('the folder of the user comes first', () => {
    expect(listCompileCacheFolders('linux', env)[0]).toBe('/caches/svc-emulator');
  });

  it.each(['NODE_COMPILE_CACHE', 'NODE_DISABLE_COMPILE_CACHE'])(
    'no folder is used if the user has configured the compile cache of Node.js with %s',
    (name) => {
      expect(listCompileCacheFolders('linux', { ...env, [name]: '1' })).toEqual([]);
    },
  );

  it('on Windows, no folder among the temporary files is used', () => {
    expect(listCompileCacheFolders('win32', env)).toEqual(['/caches/svc-emulator']);
    expect(listCompileCacheFolders('win32', { HOME: '' })).toEqual([]);
  });
});
