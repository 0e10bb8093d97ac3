import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/**
 * Creates an empty folder that is removed after the test.
 * @param context of a test that runs at the same time as others
 */
export function createTemporaryFolder(context = { onTestFinished }): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'));
  context.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
