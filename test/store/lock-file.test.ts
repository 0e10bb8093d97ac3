import { execFileSync } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { openSqlite } from '../../src/store/driver.ts';
import { lockFile } from '../../src/store/lock-file.ts';
import { driverFolder } from '../support/sqlite.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

it('a locked file cannot be locked again, by this process or another one, until the lock is released', () => {
  const path = join(createTemporaryFolder(), 'emulator.lock');
  const script = `new (require(process.argv[1]))(process.argv[2], { timeout: 0 }).exec('BEGIN EXCLUSIVE')`;
  const lockInChild = () =>
    execFileSync(process.execPath, ['-e', script, driverFolder, path], { stdio: 'pipe' });
  const release = lockFile(path);
  expect(release).not.toBeNull();
  expect(lockFile(path)).toBeNull();
  expect(lockInChild).toThrow('database is locked');
  release?.();
  // Its end releases its lock.
  lockInChild();
  const again = lockFile(path);
  expect(again).not.toBeNull();
  again?.();
});

it.skipIf(process.platform === 'win32')('only its owner can lock a new file', () => {
  const path = join(createTemporaryFolder(), 'emulator.lock');
  lockFile(path)?.();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it.skipIf(process.platform === 'win32')('a file that another process removes meanwhile is not locked', () => {
  const path = join(createTemporaryFolder(), 'emulator.lock');
  const prototype = Object.getPrototypeOf(openSqlite(':memory:'));
  const { pragma } = prototype;
  const close = vi.spyOn(prototype, 'close');
  vi.spyOn(prototype, 'pragma').mockImplementationOnce(function (this: unknown, ...args: unknown[]) {
    rmSync(path);
    return pragma.apply(this, args);
  });
  expect(lockFile(path)).toBeNull();
  expect(close).toHaveBeenCalledTimes(1);
  const release = lockFile(path);
  expect(lockFile(path)).toBeNull();
  expect(close).toHaveBeenCalledTimes(2);
  release?.();
});

it('a file in a folder that does not accept files cannot be locked', () => {
  expect(() => lockFile(join(import.meta.filename, 'emulator.lock'))).toThrow(
    expect.objectContaining({ code: 'database_unusable' }),
  );
});
