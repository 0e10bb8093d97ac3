import fs, {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listCodeCacheFolders, openCodeCache } from '../../src/launcher/code-cache.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const TEXT = '(function () { return 1; })';
const PATH = 'program/chunks/base.cjs';
const DAY_MS = 86_400_000;
const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

function writeScript(version: string, folders: readonly string[]): void {
  const cache = openCodeCache(version, folders);
  cache?.add(PATH, TEXT, new Script(TEXT));
  cache?.write();
}

const find = (folder: string, { version = '1', source = TEXT } = {}) =>
  openCodeCache(version, [folder])?.find(PATH, source);

/** The names of the versions that have a folder. */
const listVersions = (folder: string) => readdirSync(folder).map((name) => name.split('-')[1]);

describe('openCodeCache', () => {
  it('the code that one process writes is used by the next one', () => {
    const folder = createTemporaryFolder();
    expect(find(folder)).toBeNull();
    writeScript('1', [folder]);
    const cachedData = find(folder) ?? Buffer.alloc(0);
    expect(new Script(TEXT, { cachedData }).cachedDataRejected).toBe(false);
  });

  it('code is not used by another version, or for a changed source of the same length', () => {
    const folder = createTemporaryFolder();
    writeScript('1', [folder]);
    expect(find(folder, { version: '2' })).toBeNull();
    expect(find(folder, { source: TEXT.replace('1', '2') })).toBeNull();
  });

  it('code of which one byte was damaged is not used', () => {
    const folder = createTemporaryFolder();
    writeScript('1', [folder]);
    const [name = ''] = readdirSync(folder);
    const file = join(folder, name, 'base.cjs');
    const bytes = readFileSync(file);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
    writeFileSync(file, bytes);
    expect(find(folder)).toBeNull();
    writeFileSync(file, '');
    expect(find(folder)).toBeNull();
  });

  it('a process that compiled nothing writes no folder', () => {
    const folder = createTemporaryFolder();
    openCodeCache('1', [folder])?.write();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')('a folder in which others can write is not used', () => {
    const parent = createTemporaryFolder();
    const [shared, own] = [join(parent, 'shared'), join(parent, 'own')];
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    writeScript('1', [shared, own]);
    expect([readdirSync(shared), listVersions(own)]).toEqual([[], ['1']]);
    expect(openCodeCache('1', [shared])).toBeNull();
  });

  it.runIf(isRoot)('root creates no folder in the home folder of another user', () => {
    const home = createTemporaryFolder();
    chownSync(home, NOBODY, NOBODY);
    expect(openCodeCache('1', [join(home, '.cache/svc-emulator')])).toBeNull();
    expect(readdirSync(home)).toEqual([]);
  });

  it('a folder that disappears while svc runs is not an error', () => {
    const folder = createTemporaryFolder();
    const cache = openCodeCache('1', [folder]);
    cache?.add(PATH, TEXT, new Script(TEXT));
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    cache?.write();
    expect(readFileSync(folder, 'utf8')).toBe('');
  });

  it('a full disk leaves no file behind', () => {
    const folder = createTemporaryFolder();
    vi.spyOn(fs, 'writeFileSync').mockImplementation(() => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    });
    syncBuiltinESMExports();
    writeScript('1', [folder]);
    const [name = ''] = readdirSync(folder);
    expect(readdirSync(join(folder, name))).toEqual([]);
  });

  it('a new version deletes the code of versions that are older than 30 days, and nothing else', () => {
    const folder = createTemporaryFolder();
    for (const [name, days] of Object.entries({ 'code-old': 31, 'code-recent': 29, other: 31 })) {
      mkdirSync(join(folder, name));
      const time = new Date(Date.now() - days * DAY_MS);
      utimesSync(join(folder, name), time, time);
    }
    writeScript('new', [folder]);
    expect(readdirSync(folder).sort()).toEqual([
      expect.stringContaining('code-new-'),
      'code-recent',
      'other',
    ]);
  });
});

describe('listCodeCacheFolders', () => {
  const env = { HOME: '/home/ada', XDG_CACHE_HOME: '/caches' };

  it('the folder for the compile cache of Node.js comes first', () => {
    const folders = listCodeCacheFolders('linux', { ...env, NODE_COMPILE_CACHE: '/node' });
    expect(folders.slice(0, 2)).toEqual(['/node/svc-emulator', '/caches/svc-emulator']);
  });

  it('no folder is used if the compile cache of Node.js is turned off', () => {
    expect(listCodeCacheFolders('linux', { ...env, NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual([]);
  });

  it('on Windows, no folder among the temporary files is used', () => {
    expect(listCodeCacheFolders('win32', env)).toEqual(['/caches/svc-emulator']);
    expect(listCodeCacheFolders('win32', { HOME: '' })).toEqual([]);
  });
});
