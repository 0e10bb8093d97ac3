import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFolder } from '../../src/platform/create-folder.ts';

let parent = '';

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'svc-create-folder-'));
});

afterEach(() => rmSync(parent, { recursive: true }));

const fails = (code: string) => expect.objectContaining({ code });

describe('createFolder', () => {
  it('a folder is created with its parents and its mode, and an existing one stays unchanged', () => {
    const folder = join(parent, 'a/b/c');
    createFolder(folder, 0o700);
    createFolder(folder, 0o755);
    if (process.platform !== 'win32') expect(statSync(folder).mode & 0o777).toBe(0o700);
    symlinkSync(folder, join(parent, 'link'));
    createFolder(join(parent, 'link'));
    createFolder(join(parent, 'link/d'));
    expect(existsSync(join(folder, 'd'))).toBe(true);
  });

  it('a folder is not created in the place of a file or below one', () => {
    writeFileSync(join(parent, 'file'), '');
    expect(() => createFolder(join(parent, 'file'))).toThrow(fails('EEXIST'));
    expect(() => createFolder(join(parent, 'file/folder'))).toThrow(fails('ENOTDIR'));
  });

  it.runIf(process.platform === 'linux')('a folder below /proc is refused instead of tried forever', () => {
    expect(() => createFolder('/proc/svc/a/b')).toThrow(fails('ENOENT'));
  });
});
