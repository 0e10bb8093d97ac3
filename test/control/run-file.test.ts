import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createRunFile, findRunFile, inspectRunFile, removeRunFile } from '../../src/control/run-file.ts';

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
  it('is found from the folder and from those below it', () => {
    createRunFile(folder, run, env);
    const below = join(folder, 'a/b');
    mkdirSync(below, { recursive: true });
    expect(findRunFile(at(folder))).toEqual(run);
    expect(findRunFile(at(below))).toEqual(run);
  });

  it('keeps its folder out of version control, and itself from others', () => {
    createRunFile(folder, run, env);
    expect(readFileSync(join(folder, '.svc/.gitignore'), 'utf8')).toBe('*\n');
    if (process.platform !== 'win32')
      expect(statSync(join(folder, '.svc/run.json')).mode & 0o777).toBe(0o600);
  });

  it('does not count when its process is gone', () => {
    // Beyond the largest process id of every system.
    createRunFile(folder, { ...run, pid: 2 ** 30 }, env);
    expect(findRunFile(at(folder))).toBeNull();
  });

  it.skipIf(process.platform === 'win32')('does not count when its process belongs to another user', () => {
    createRunFile(folder, run, env);
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
    });
    onTestFinished(() => kill.mockRestore());
    expect(findRunFile(at(folder))).toBeNull();
  });

  it('does not count when it is unreadable', () => {
    createRunFile(folder, run, env);
    writeFileSync(join(folder, '.svc/run.json'), '{"pid":');
    expect(findRunFile(at(folder))).toBeNull();
  });

  it('is not looked for above the nearest folder with .svc, package.json or .git', () => {
    createRunFile(folder, run, env);
    for (const marker of ['.svc', 'package.json', '.git']) {
      const below = join(folder, `with${marker}`);
      mkdirSync(join(below, marker), { recursive: true });
      expect(findRunFile(at(below)), marker).toBeNull();
    }
  });

  it('can be inspected also when its process has ended, or when it cannot be read', () => {
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
    ['an address that is not an HTTP URL', { control_url: 'file:///etc/passwd' }],
    ['an address with a line break', { control_url: 'http://127.0.0.1:1/_svc\nA=1' }],
  ])('does not count with %s', (_, changes) => {
    createRunFile(folder, { ...run, ...changes } as typeof run, env);
    expect(findRunFile(at(folder))).toBeNull();
  });

  it('is removed by its own emulator only', () => {
    createRunFile(folder, run, env);
    removeRunFile(folder, run.pid + 1);
    expect(existsSync(join(folder, '.svc/run.json'))).toBe(true);
    removeRunFile(folder, run.pid);
    expect(existsSync(join(folder, '.svc/run.json'))).toBe(false);
  });
});
