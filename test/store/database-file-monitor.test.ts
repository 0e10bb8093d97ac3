import {
  appendFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  DatabaseFileMonitor,
  type DatabaseFileProblem,
  watchDatabaseFile,
} from '../../src/store/database-file-monitor.ts';
import { useFakeTimers } from '../support/fake-timers.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

/** A file with 100 bytes and a log with 50, both written by the emulator. */
function open() {
  const folder = join(createTemporaryFolder(), 'data');
  mkdirSync(folder);
  const path = join(folder, 'sandbox.db');
  const log = `${path}-wal`;
  writeFileSync(path, 'x'.repeat(100));
  writeFileSync(log, 'x'.repeat(50));
  const monitor = new DatabaseFileMonitor(path);
  return { folder, path, log, monitor };
}

/** Removes a file and creates another one with the same size in its place. */
function replace(path: string, size: number): void {
  // Otherwise, the new file can get the identity of the removed one.
  linkSync(path, `${path}.kept`);
  unlinkSync(path);
  writeFileSync(path, 'y'.repeat(size));
}

describe('DatabaseFileMonitor', () => {
  it('files that only the emulator changes are intact', () => {
    const { path, log, monitor } = open();
    expect([monitor.check(), monitor.problem]).toEqual([null, null]);
    // A checkpoint makes the log smaller.
    appendFileSync(path, 'x');
    truncateSync(log, 0);
    expect(monitor.check()).toBeNull();
    expect(monitor.assertIntact()).toBeUndefined();
  });

  it.each<[string, DatabaseFileProblem, (files: ReturnType<typeof open>) => void]>([
    ['the removed file', 'removed', ({ path }) => unlinkSync(path)],
    ['the removed log', 'removed', ({ log }) => unlinkSync(log)],
    ['a replaced file', 'replaced', ({ path }) => replace(path, 100)],
    ['a replaced log', 'replaced', ({ log }) => replace(log, 50)],
  ])('%s is a problem that refuses writes', (_, problem, change) => {
    const files = open();
    const { monitor } = files;
    change(files);
    expect(monitor.problem).toBeNull();
    expect(monitor.check()).toBe(problem);
    expect([monitor.problem, monitor.check()]).toEqual([problem, problem]);
    expect(() => monitor.assertIntact()).toThrow(
      expect.objectContaining({
        code: 'storage_unavailable',
        message: `The database file was ${problem}${problem === 'replaced' ? ' by another file' : ''} while the emulator was running. Writes are refused.`,
        hint: {
          text: expect.stringContaining('after a restart'),
          command: 'svc emulator snapshot save FILE',
        },
      }),
    );
  });

  it('the problem is gone after the file was moved back, whatever was written meanwhile', () => {
    const { path, monitor } = open();
    renameSync(path, `${path}.moved`);
    expect(monitor.check()).toBe('removed');
    writeFileSync(path, 'y'.repeat(200));
    renameSync(path, `${path}.larger`);
    renameSync(`${path}.moved`, path);
    expect(monitor.check()).toBeNull();
    renameSync(path, `${path}.moved`);
    renameSync(`${path}.larger`, path);
    expect(monitor.check()).toBe('replaced');
    renameSync(`${path}.moved`, path);
    expect([monitor.check(), monitor.problem]).toEqual([null, null]);
  });

  it.skipIf(process.platform === 'win32')(
    'the log of a database behind a symbolic link is next to the file',
    () => {
      const { folder, log, path } = open();
      const link = join(folder, 'link.db');
      symlinkSync(path, link);
      const monitor = new DatabaseFileMonitor(link);
      unlinkSync(log);
      expect(monitor.check()).toBe('removed');
    },
  );

  it.skipIf(process.platform === 'win32')(
    'a file in a folder that cannot be read does not count as removed',
    () => {
      const { folder, monitor } = open();
      renameSync(folder, `${folder}.moved`);
      symlinkSync(folder, folder);
      expect(monitor.check()).toBeNull();
    },
  );

  it('a database in memory has no file that could be lost', () => {
    const monitor = new DatabaseFileMonitor(':memory:');
    expect(monitor.check()).toBeNull();
  });
});

it('each problem is reported once, until the watch ends', () => {
  useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const started = vi.spyOn(globalThis, 'setInterval');
  let problem: DatabaseFileProblem | null = 'replaced';
  const reported: string[] = [];
  const store = { fileProblem: problem, checkFile: () => problem };
  const stop = watchDatabaseFile(store, ({ message }) => reported.push(message.split(' ')[4] ?? ''));
  const next = (now: DatabaseFileProblem | null) => {
    problem = now;
    vi.advanceTimersByTime(500);
    return reported.splice(0);
  };
  // A problem that is known already is not reported.
  expect(next('replaced')).toEqual([]);
  expect(next('removed')).toEqual(['removed']);
  expect(next('removed')).toEqual([]);
  expect(next(null)).toEqual([]);
  expect(next('removed')).toEqual(['removed']);
  expect(next('replaced')).toEqual(['replaced']);
  stop();
  expect(next('removed')).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
  expect(started.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
});
