import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readKeyFile } from '../../src/sandbox/state-lifecycle.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

it('the stored API key is not read from a FIFO or a device, which could hold up the process beyond SIGTERM', () => {
  const db = join(createTemporaryFolder(), 'sandbox.db');
  expect(readKeyFile(db)).toBeNull();
  symlinkSync('/dev/null', `${db}.key`);
  expect(() => readKeyFile(db)).toThrow(
    expect.objectContaining({ code: 'usage', message: `${db}.key is not a regular file.` }),
  );
});
