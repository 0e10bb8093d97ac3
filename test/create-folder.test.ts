import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFolder } from '../src/create-folder.ts';
import { createTemporaryFolder } from './support/temporary-folder.ts';

it('createFolder creates a folder and its parents, and accepts a folder that exists', () => {
  const folder = join(createTemporaryFolder(), 'a/b');
  createFolder(folder, 0o755);
  createFolder(folder);
  expect(statSync(folder).isDirectory()).toBe(true);
});

it.each([
  ['a file', 'EEXIST', (path: string) => writeFileSync(path, '')],
  ['a link that leads nowhere', 'EEXIST', (path: string) => symlinkSync('missing', path)],
])('createFolder fails when the path is %s', (_, code, create) => {
  const path = join(createTemporaryFolder(), 'taken');
  create(path);
  expect(() => createFolder(path)).toThrow(expect.objectContaining({ code }));
});

it('createFolder fails below a file', () => {
  const file = join(createTemporaryFolder(), 'file');
  writeFileSync(file, '');
  expect(() => createFolder(join(file, 'below'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
});

it.runIf(existsSync('/proc'))('createFolder fails in a file system that rejects new folders', () => {
  expect(() => createFolder('/proc/svc/a')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});
