import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findKey } from '../../src/sandbox/key-file.ts';
import { createFolder } from '../support/folder.ts';

it('the stored API key is not read from a FIFO or a device, which could hold up the process beyond SIGTERM', () => {
  const db = join(createFolder(), 'sandbox.db');
  expect(findKey(db)).toBeNull();
  symlinkSync('/dev/null', `${db}.key`);
  expect(() => findKey(db)).toThrow(
    expect.objectContaining({ code: 'usage', message: `${db}.key is not a regular file.` }),
  );
});
