import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RefusedFileError, readRegularFile } from '../../src/platform/read-regular-file.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

function refusalOf(path: string, limitBytes?: number): string | null {
  try {
    readRegularFile(path, limitBytes);
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(RefusedFileError);
    return (error as Error).message;
  }
}

describe('readRegularFile', () => {
  it('readRegularFile returns the content of a file up to the limit', () => {
    const path = join(createTemporaryFolder(), 'file');
    const content = Buffer.alloc(200_000, 'abc');
    writeFileSync(path, content);
    expect(readRegularFile(path).equals(content)).toBe(true);
    expect(refusalOf(path, 200_000)).toBeNull();
    expect(refusalOf(path, 199_999)).toMatch(/^it is larger than /);
    writeFileSync(path, '');
    expect(readRegularFile(path)).toHaveLength(0);
  });

  it('readRegularFile refuses a file of more than 16 MB unless it has another limit [files.special]', () => {
    const path = join(createTemporaryFolder(), 'file');
    writeFileSync(path, Buffer.alloc(16 * 2 ** 20 + 1));
    expect(refusalOf(path)).toBe('it is larger than 16 MB');
    expect(refusalOf(path, 17 * 2 ** 20)).toBeNull();
  });

  it('readRegularFile refuses a folder', () => {
    expect(refusalOf(createTemporaryFolder())).toBe('it is a folder');
  });

  it.skipIf(process.platform === 'win32')(
    'readRegularFile refuses a FIFO without waiting for its writer, and a device without end [files.special]',
    () => {
      const path = join(createTemporaryFolder(), 'fifo');
      expect(spawnSync('mkfifo', [path]).status).toBe(0);
      expect(refusalOf(path)).toBe('it is not a regular file');
      expect(refusalOf('/dev/zero')).toBe('it is not a regular file');
    },
  );
});
