import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

describe('the run file', () => {
  it('is found from the folder and from those below it', () => {
    createRunFile(folder, run);
    const below = join(folder, 'a/b');
    mkdirSync(below, { recursive: true });
    expect(findRunFile(folder)).toEqual(run);
    expect(findRunFile(below)).toEqual(run);
  });

  it('keeps its folder out of version control, and itself from others', () => {
    createRunFile(folder, run);
    expect(readFileSync(join(folder, '.svc/.gitignore'), 'utf8')).toBe('*\n');
    if (process.platform !== 'win32')
      expect(statSync(join(folder, '.svc/run.json')).mode & 0o777).toBe(0o600);
  });

  it('does not count when its process is gone', () => {
    // Beyond the largest process id of every system.
    createRunFile(folder, { ...run, pid: 2 ** 30 });
    expect(findRunFile(folder)).toBeNull();
  });

  it('does not count when it is unreadable', () => {
    createRunFile(folder, run);
    writeFileSync(join(folder, '.svc/run.json'), '{"pid":');
    expect(findRunFile(folder)).toBeNull();
  });

  it('is passed over on the way up when it is of no use, and can be inspected all the same', () => {
    createRunFile(folder, run);
    const below = join(folder, 'a');
    mkdirSync(below);
    const ended = { ...run, pid: 2 ** 30 };
    createRunFile(below, ended);
    expect(findRunFile(below)).toEqual(run);
    const path = join(below, '.svc/run.json');
    expect(inspectRunFile(below)).toEqual({ path, run: ended, isAlive: false });
    writeFileSync(path, '{"pid":');
    expect(inspectRunFile(below)).toEqual({ path, run: null, isAlive: false });
  });

  it('is removed by its own emulator only', () => {
    createRunFile(folder, run);
    removeRunFile(folder, run.pid + 1);
    expect(existsSync(join(folder, '.svc/run.json'))).toBe(true);
    removeRunFile(folder, run.pid);
    expect(existsSync(join(folder, '.svc/run.json'))).toBe(false);
  });
});
