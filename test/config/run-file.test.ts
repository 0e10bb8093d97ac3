import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createRunFile,
  createStateFolder,
  findRunFile,
  ignoreUntrusted,
  removeRunFile,
  removeUnusedStateFolder,
} from '../../src/config/run-file.ts';
import { SvcError } from '../../src/domain/errors.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = createTemporaryFolder();
});

const run = {
  pid: process.pid,
  started_at: '2026-11-20T12:00:00.000Z',
  control_url: 'http://127.0.0.1:4777/_svc',
  version: '0.1.0',
};

const env = {};
const at = (cwd: string) => ({ cwd, env });

describe('the run file', () => {
  it('the run file is found from its folder and from those below it', () => {
    createRunFile(folder, run, env);
    const below = join(folder, 'a/b');
    mkdirSync(below, { recursive: true });
    expect(findRunFile(at(folder))).toEqual(run);
    expect(findRunFile(at(below))).toEqual(run);
  });

  it('the folder of the run file is not under version control, and other users cannot read the file [files.run-file-mode]', () => {
    createRunFile(folder, run, env);
    expect(readFileSync(join(folder, '.svc/.gitignore'), 'utf8')).toBe('*\n');
    if (process.platform !== 'win32')
      expect(statSync(join(folder, '.svc/run.json')).mode & 0o777).toBe(0o600);
  });

  it('a run file without a running process does not count', () => {
    // Beyond the largest process id of every system.
    createRunFile(folder, { ...run, pid: 2 ** 30 }, env);
    expect(findRunFile(at(folder))).toBeNull();
  });

  it.skipIf(process.platform === 'win32')(
    'a run file with the process of another user does not count [files.run-file-process]',
    () => {
      createRunFile(folder, run, env);
      const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
        throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
      });
      onTestFinished(() => kill.mockRestore());
      expect(findRunFile(at(folder))).toBeNull();
    },
  );

  it('a run file that cannot be parsed does not count', () => {
    createRunFile(folder, run, env);
    writeFileSync(join(folder, '.svc/run.json'), '{"pid":');
    expect(findRunFile(at(folder))).toBeNull();
  });

  it('the search for a run file ends at the nearest folder with .svc, package.json or .git', () => {
    createRunFile(folder, run, env);
    for (const marker of ['.svc', 'package.json', '.git']) {
      const below = join(folder, `with${marker}`);
      mkdirSync(join(below, marker), { recursive: true });
      expect(findRunFile(at(below)), marker).toBeNull();
    }
  });

  it.each([
    ['a pid of a process group', { pid: 0 }],
    ['a pid that is text', { pid: '1' }],
    ['a pid of all processes', { pid: -1 }],
    ['a pid that is not whole', { pid: process.pid + 0.5 }],
    ['no pid', { pid: undefined }],
    ['an address that is not an HTTP URL', { control_url: 'file:///etc/passwd' }],
    ['an address with a line break', { control_url: 'http://127.0.0.1:1/_svc\nA=1' }],
  ])('a run file with %s does not count', (_, changes) => {
    createRunFile(folder, { ...run, ...changes } as typeof run, env);
    expect(findRunFile(at(folder))).toBeNull();
  });

  it('only its own emulator removes a run file', () => {
    createRunFile(folder, run, env);
    removeRunFile(folder, run.pid + 1);
    expect(existsSync(join(folder, '.svc/run.json'))).toBe(true);
    removeRunFile(folder, run.pid);
    expect(existsSync(join(folder, '.svc/run.json'))).toBe(false);
  });

  it('a run file that contains null does not count', () => {
    createRunFile(folder, run, env);
    writeFileSync(join(folder, '.svc/run.json'), 'null');
    expect(findRunFile(at(folder))).toBeNull();
  });

  it('the removal of a state folder that another process has removed is not an error', () => {
    expect(() => removeUnusedStateFolder(folder)).not.toThrow();
  });

  it('a .gitignore of the user is not changed', () => {
    const path = join(createStateFolder(folder, env), '.gitignore');
    writeFileSync(path, '!config\n');
    createRunFile(folder, run, env);
    expect(readFileSync(path, 'utf8')).toBe('!config\n');
  });

  it('ignoreUntrusted ignores only files that are not trusted', () => {
    const fail = (error: Error) => () =>
      ignoreUntrusted(() => {
        throw error;
      });
    expect(fail(new SvcError('untrusted_file', 'No.'))()).toBeNull();
    for (const error of [new SvcError('usage', 'No.'), new Error('a bug')])
      expect(fail(error)).toThrow(error);
  });
});
