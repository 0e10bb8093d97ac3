import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createRunFile,
  createStateFolder,
  ensureRunFile,
  findRunFile,
  findRunFileAbove,
  ignoreUntrusted,
  inspectRunFile,
  removeRunFile,
} from '../../src/config/run-file.ts';
import { SvcError } from '../../src/errors.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-run-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

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

  it('a run file can be inspected even when its process has ended, or when it cannot be parsed', () => {
    const ended = { ...run, pid: 2 ** 30 };
    createRunFile(folder, ended, env);
    const path = join(folder, '.svc/run.json');
    expect(inspectRunFile(at(folder))).toEqual({ path, run: ended, isAlive: false });
    writeFileSync(path, '{"pid":');
    expect(inspectRunFile(at(folder))).toEqual({ path, run: null, isAlive: false });
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
    expect(inspectRunFile(at(folder))).toMatchObject({ run: null, isAlive: false });
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
    expect(inspectRunFile(at(folder))).toMatchObject({ run: null, isAlive: false });
  });

  it('a run file that was removed is written again, and an existing one is not changed', () => {
    ensureRunFile(folder, run, env);
    ensureRunFile(folder, { ...run, version: '0.2.0' }, env);
    expect(findRunFile(at(folder))).toEqual(run);
  });

  it('a .gitignore of the user is not changed', () => {
    const path = join(createStateFolder(folder, env), '.gitignore');
    writeFileSync(path, '!config\n');
    createRunFile(folder, run, env);
    expect(readFileSync(path, 'utf8')).toBe('!config\n');
  });

  it('the emulator above the root of a project is found, unless its process has ended', () => {
    const project = join(folder, 'project');
    mkdirSync(join(project, '.git'), { recursive: true });
    writeFileSync(join(project, 'package.json'), '{}');
    expect(findRunFileAbove(at(project))).toBeNull();
    createRunFile(folder, run, env);
    expect(findRunFileAbove(at(project))).toEqual({ folder, run });
    createRunFile(folder, { ...run, pid: 2 ** 30 }, env);
    expect(findRunFileAbove(at(project))).toBeNull();
  });

  describe.skipIf(process.platform === 'win32')('a run file that other users can change or read', () => {
    const untrusted = expect.objectContaining({ code: 'untrusted_file' });

    it('a state folder that other users can change is not used', () => {
      const state = createStateFolder(folder, env);
      chmodSync(state, 0o777);
      expect(() => createRunFile(folder, run, env)).toThrow(untrusted);
      writeFileSync(join(state, 'run.json'), JSON.stringify(run), { mode: 0o600 });
      expect(() => findRunFile(at(folder))).toThrow(untrusted);
      expect(ignoreUntrusted(() => findRunFile(at(folder)))).toBeNull();
      chmodSync(state, 0o755);
      expect(findRunFile(at(folder))).toEqual(run);
    });

    it.each([0o644, 0o640, 0o604, 0o610])(
      'a run file with the mode %o is not used, because svc did not write it',
      (mode) => {
        createRunFile(folder, run, env);
        const path = join(folder, '.svc/run.json');
        chmodSync(path, mode);
        expect(() => findRunFile(at(folder))).toThrow(
          `${path} is not used: its mode is ${mode.toString(8)}, but svc creates it with 600.`,
        );
        const trusting = { SVC_TRUST_FOLDERS: folder };
        expect(findRunFile({ cwd: folder, env: trusting })).toEqual(run);
      },
    );

    it.each([new SvcError('usage', 'No.'), new Error('a bug')])('ignoreUntrusted throws %s', (error) => {
      const fail = () => {
        throw error;
      };
      expect(() => ignoreUntrusted(fail)).toThrow(error);
    });
  });
});
