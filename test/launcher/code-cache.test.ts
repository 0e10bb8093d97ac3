import fs, { chmodSync, mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { listCodeCacheFolders, openCodeCache } from '../../src/launcher/code-cache.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const TEXT = '(function () { return 1; })';
const PATH = 'program/chunks/base.cjs';
const DAY_MS = 86_400_000;

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

function writeScript(version: string, folders: readonly string[]): void {
  const cache = openCodeCache(version, folders);
  cache?.add(PATH, new Script(TEXT));
  cache?.write();
}

describe('openCodeCache', () => {
  it('the code that one process writes is used by the next one', () => {
    const folder = createTemporaryFolder();
    expect(openCodeCache('1', [folder])?.find(PATH)).toBeNull();
    writeScript('1', [folder]);
    const cachedData = openCodeCache('1', [folder])?.find(PATH) ?? Buffer.alloc(0);
    expect(new Script(TEXT, { cachedData }).cachedDataRejected).toBe(false);
  });

  it('another version does not use it', () => {
    const folder = createTemporaryFolder();
    writeScript('1', [folder]);
    expect(openCodeCache('2', [folder])?.find(PATH)).toBeNull();
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
    expect([readdirSync(shared), readdirSync(own)]).toEqual([[], ['code-1']]);
    expect(openCodeCache('1', [shared])).toBeNull();
  });

  it('on a full disk nothing is left behind', () => {
    const folder = createTemporaryFolder();
    vi.spyOn(fs, 'writeFileSync').mockImplementation(() => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    });
    syncBuiltinESMExports();
    writeScript('1', [folder]);
    expect(readdirSync(join(folder, 'code-1'))).toEqual([]);
  });

  it('a new version deletes the code of versions that are older than 30 days, and nothing else', () => {
    const folder = createTemporaryFolder();
    for (const [name, days] of Object.entries({ 'code-old': 31, 'code-recent': 29, other: 31 })) {
      mkdirSync(join(folder, name));
      const time = new Date(Date.now() - days * DAY_MS);
      utimesSync(join(folder, name), time, time);
    }
    writeScript('new', [folder]);
    expect(readdirSync(folder).sort()).toEqual(['code-new', 'code-recent', 'other']);
  });
});

describe('listCodeCacheFolders', () => {
  const env = { HOME: '/home/ada', XDG_CACHE_HOME: '/caches' };

  it.skipIf(process.platform === 'win32')('the folder for the compile cache of Node.js comes first', () => {
    expect(listCodeCacheFolders({ ...env, NODE_COMPILE_CACHE: '/node' }).slice(0, 2)).toEqual([
      '/node/svc-emulator',
      '/caches/svc-emulator',
    ]);
  });

  it('there is none if the compile cache of Node.js is turned off', () => {
    expect(listCodeCacheFolders({ ...env, NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual([]);
  });
});
