import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readLimitedFile } from '../../src/platform/read-limited-file.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

it('readLimitedFile returns a file of at most 16 MB, and refuses a larger one unless it has another limit [files.size]', () => {
  const path = join(createTemporaryFolder(), 'file');
  writeFileSync(path, 'text');
  expect(readLimitedFile(path).toString()).toBe('text');
  truncateSync(path, 16 * 2 ** 20 + 1);
  expect(() => readLimitedFile(path)).toThrow('it is larger than 16 MB');
  expect(readLimitedFile(path, 2 ** 25)).toHaveLength(16 * 2 ** 20 + 1);
});
